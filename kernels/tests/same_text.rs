//! Checks that the macro and the front end for Rust files produce byte-identical WGSL.

use hirace::Kernel;
use hirace::raw::front::rust::parse_file_among;
use hirace::raw::source_map::SourceMap;
use hirace_kernels::*;
use std::path::Path;

/// The value of every const parameter.
const VALUE: u32 = 8;

macro_rules! kernels {
    ($($file:literal: $($kernel:expr),+;)+) => {
        /// Returns the kernels of each file, as the macro compiled them.
        fn kernels() -> Vec<(&'static str, Vec<Kernel>)> {
            vec![$(($file, vec![$($kernel()),+])),+]
        }
    };
}

kernels! {
    "src/append.rs": append::append::clean::kernel, append::append::racy::kernel;
    "src/arg_max.rs": arg_max::arg_max::clean::kernel::<8>, arg_max::arg_max::racy::kernel::<8>;
    "src/binning.rs": binning::binning::count::kernel, binning::binning::offsets::kernel, binning::binning::scatter::kernel, binning::binning::racy::kernel;
    "src/bitonic_sort.rs": bitonic_sort::bitonic_sort::clean::kernel, bitonic_sort::bitonic_sort::racy::kernel;
    "src/box_blur.rs": box_blur::box_blur::clean::kernel, box_blur::box_blur::racy::kernel;
    "src/breadth_first.rs": breadth_first::breadth_first::clean::kernel, breadth_first::breadth_first::racy::kernel;
    "src/compaction.rs": compaction::compaction::clean::kernel, compaction::compaction::racy::kernel;
    "src/composed/beside.rs": composed::beside::walk::kernel, composed::beside::rows::kernel, composed::beside::racy::kernel, composed::beside::generic::kernel::<8>;
    "src/composed/inside.rs": composed::inside::inside::clean::kernel, composed::inside::outside::kernel;
    "src/constructs/atomics.rs": constructs::atomics::atomics::methods::kernel, constructs::atomics::atomics::functions::kernel, constructs::atomics::atomics::more_functions::kernel, constructs::atomics::atomics::sums::kernel, constructs::atomics::atomics::tickets::kernel, constructs::atomics::atomics::plain_between_barriers::kernel, constructs::atomics::atomics::racy::kernel;
    "src/constructs/barriers.rs": constructs::barriers::barriers::clean::kernel, constructs::barriers::barriers::racy::kernel;
    "src/constructs/builtin_values.rs": constructs::builtin_values::builtin_values::clean::kernel, constructs::builtin_values::builtin_values::of_subgroups::kernel, constructs::builtin_values::builtin_values::racy::kernel;
    "src/constructs/casts.rs": constructs::casts::casts::from_floats::kernel, constructs::casts::casts::vectors::kernel, constructs::casts::casts::from_integers::kernel;
    "src/constructs/chains.rs": constructs::chains::chains::parts::kernel, constructs::chains::chains::changed::kernel, constructs::chains::chains::items::kernel, constructs::chains::chains::taken::kernel, constructs::chains::chains::skipped::kernel;
    "src/constructs/closures.rs": constructs::closures::closures::clean::kernel, constructs::closures::closures::racy::kernel;
    "src/constructs/constants.rs": constructs::constants::constants::clean::kernel;
    "src/constructs/const_fns.rs": constructs::const_fns::const_fns::clean::kernel;
    "src/constructs/control_flow.rs": constructs::control_flow::control_flow::clean::kernel;
    "src/constructs/copies.rs": constructs::copies::copies::clean::kernel, constructs::copies::copies::racy::kernel;
    "src/constructs/cubes.rs": constructs::cubes::cubes::towards_texels::kernel, constructs::cubes::cubes::around::kernel, constructs::cubes::cubes::of_arrays::kernel, constructs::cubes::cubes::sizes::kernel, constructs::cubes::cubes::samples_and_lines::kernel;
    "src/constructs/defaults.rs": constructs::defaults::defaults::clean::kernel;
    "src/constructs/equality.rs": constructs::equality::equality::clean::kernel;
    "src/constructs/halves.rs": constructs::halves::halves::operators_of::kernel, constructs::halves::halves::conversions_of::kernel, constructs::halves::halves::methods_of::kernel, constructs::halves::halves::constants_of::kernel, constructs::halves::halves::values_of::kernel, constructs::halves::halves::sums::kernel, constructs::halves::halves::racy::kernel;
    "src/constructs/impls.rs": constructs::impls::impls::clean::kernel, constructs::impls::impls::racy::kernel;
    "src/constructs/integers.rs": constructs::integers::integers::signed::kernel, constructs::integers::integers::unsigned::kernel, constructs::integers::integers::wrapping::kernel;
    "src/constructs/lengths.rs": constructs::lengths::lengths::clean::kernel, constructs::lengths::lengths::generic::kernel::<8>;
    "src/constructs/math.rs": constructs::math::math::scalars::kernel, constructs::math::math::methods::kernel, constructs::math::math::vectors::kernel, constructs::math::math::bits::kernel;
    "src/constructs/matrices.rs": constructs::matrices::matrices::square::kernel, constructs::matrices::matrices::shapes::kernel, constructs::matrices::matrices::oblong::kernel;
    "src/constructs/memory.rs": constructs::memory::memory::clean::kernel, constructs::memory::memory::bound::kernel, constructs::memory::memory::racy::kernel;
    "src/constructs/names.rs": constructs::names::names::main::kernel, constructs::names::names::handle::kernel;
    "src/constructs/order.rs": constructs::order::order::clean::kernel;
    "src/constructs/packing.rs": constructs::packing::packing::pack::kernel, constructs::packing::packing::unpack::kernel;
    "src/constructs/parts.rs": constructs::parts::parts::clean::kernel;
    "src/constructs/patterns.rs": constructs::patterns::patterns::clean::kernel;
    "src/constructs/sizes.rs": constructs::sizes::sizes::clean::kernel, constructs::sizes::sizes::racy::kernel;
    "src/constructs/std_atomics.rs": constructs::std_atomics::std_atomics::clean::kernel, constructs::std_atomics::std_atomics::racy::kernel;
    "src/constructs/std_items.rs": constructs::std_items::std_items::clean::kernel;
    "src/constructs/std_methods.rs": constructs::std_methods::std_methods::chains_of_rows::kernel, constructs::std_methods::std_methods::pieces_of_rows::kernel, constructs::std_methods::std_methods::conversions_of_rows::kernel, constructs::std_methods::std_methods::orders_of_rows::kernel, constructs::std_methods::std_methods::racy::kernel;
    "src/constructs/subgroups.rs": constructs::subgroups::subgroups::arithmetic::kernel, constructs::subgroups::subgroups::exchange::kernel;
    "src/constructs/subtle.rs": constructs::subtle::subtle::clean::kernel;
    "src/constructs/textures.rs": constructs::textures::textures::loads::kernel, constructs::textures::textures::sizes::kernel, constructs::textures::textures::samples::kernel, constructs::textures::textures::gathers::kernel, constructs::textures::textures::layered::kernel, constructs::textures::textures::stores::kernel;
    "src/constructs/uniforms.rs": constructs::uniforms::uniforms::clean::kernel;
    "src/constructs/vectors.rs": constructs::vectors::vectors::floats::kernel, constructs::vectors::vectors::integers::kernel, constructs::vectors::vectors::truth::kernel;
    "src/constructs/wide.rs": constructs::wide::wide::unsigned_of::kernel, constructs::wide::wide::signed_of::kernel, constructs::wide::wide::casts_of::kernel, constructs::wide::wide::floats_of::kernel, constructs::wide::wide::bits_of::kernel, constructs::wide::wide::ranges_of::kernel, constructs::wide::wide::methods_of::kernel, constructs::wide::wide::conversions_of::kernel, constructs::wide::wide::loops_of::kernel, constructs::wide::wide::values_of::kernel, constructs::wide::wide::sums::kernel, constructs::wide::wide::racy::kernel;
    "src/dot_product.rs": dot_product::dot_product::clean::kernel, dot_product::dot_product::racy::kernel;
    "src/early_out.rs": early_out::early_out::clean::kernel, early_out::early_out::racy::kernel;
    "src/fft.rs": fft::fft::clean::kernel, fft::fft::racy::kernel;
    "src/flood_fill.rs": flood_fill::flood_fill::clean::kernel, flood_fill::flood_fill::racy::kernel;
    "src/game_of_life.rs": game_of_life::game_of_life::clean::kernel, game_of_life::game_of_life::racy::kernel;
    "src/hash_table.rs": hash_table::hash_table::clean::kernel, hash_table::hash_table::racy::kernel;
    "src/heat.rs": heat::heat::clean::kernel, heat::heat::racy::kernel;
    "src/histogram.rs": histogram::histogram::clean::kernel, histogram::histogram::racy::kernel;
    "src/histogram_in_tiles.rs": histogram_in_tiles::histogram_in_tiles::clean::kernel, histogram_in_tiles::histogram_in_tiles::racy::kernel;
    "src/k_means.rs": k_means::k_means::assign::kernel, k_means::k_means::update::kernel, k_means::k_means::racy::kernel;
    "src/mandelbrot.rs": mandelbrot::mandelbrot::clean::kernel, mandelbrot::mandelbrot::racy::kernel;
    "src/matrix_product.rs": matrix_product::matrix_product::clean::kernel::<8>, matrix_product::matrix_product::racy::kernel::<8>;
    "src/monte_carlo_pi.rs": monte_carlo_pi::monte_carlo_pi::clean::kernel, monte_carlo_pi::monte_carlo_pi::racy::kernel;
    "src/n_body.rs": n_body::n_body::clean::kernel, n_body::n_body::racy::kernel;
    "src/odd_even_sort.rs": odd_even_sort::odd_even_sort::even::kernel, odd_even_sort::odd_even_sort::odd::kernel, odd_even_sort::odd_even_sort::racy::kernel;
    "src/parboil/bfs.rs": parboil::bfs::bfs::expand::kernel, parboil::bfs::bfs::advance::kernel, parboil::bfs::bfs::racy::kernel;
    "src/parboil/cutcp.rs": parboil::cutcp::cutcp::sort::kernel, parboil::cutcp::cutcp::potentials::kernel, parboil::cutcp::cutcp::racy::kernel;
    "src/parboil/histo.rs": parboil::histo::histo::count_all::kernel, parboil::histo::histo::saturate::kernel, parboil::histo::histo::racy::kernel;
    "src/parboil/mri_gridding.rs": parboil::mri_gridding::mri_gridding::spread::kernel, parboil::mri_gridding::mri_gridding::normalize::kernel, parboil::mri_gridding::mri_gridding::racy::kernel;
    "src/parboil/mri_q.rs": parboil::mri_q::mri_q::magnitudes::kernel, parboil::mri_q::mri_q::sums::kernel, parboil::mri_q::mri_q::racy::kernel;
    "src/parboil/sad.rs": parboil::sad::sad::clean::kernel, parboil::sad::sad::racy::kernel;
    "src/parboil/sgemm.rs": parboil::sgemm::sgemm::clean::kernel, parboil::sgemm::sgemm::racy::kernel;
    "src/parboil/spmv.rs": parboil::spmv::spmv::clean::kernel, parboil::spmv::spmv::racy::kernel;
    "src/parboil/stencil.rs": parboil::stencil::stencil::forth::kernel, parboil::stencil::stencil::back::kernel, parboil::stencil::stencil::racy::kernel;
    "src/parboil/tpacf.rs": parboil::tpacf::tpacf::clean::kernel, parboil::tpacf::tpacf::racy::kernel;
    "src/polybench/adi.rs": polybench::adi::adi::columns::kernel, polybench::adi::adi::rows::kernel, polybench::adi::adi::racy::kernel;
    "src/polybench/atax.rs": polybench::atax::atax::rows::kernel, polybench::atax::atax::columns::kernel, polybench::atax::atax::racy::kernel;
    "src/polybench/bicg.rs": polybench::bicg::bicg::rows::kernel, polybench::bicg::bicg::columns::kernel, polybench::bicg::bicg::racy::kernel;
    "src/polybench/convolution_2d.rs": polybench::convolution_2d::convolution_2d::clean::kernel, polybench::convolution_2d::convolution_2d::racy::kernel;
    "src/polybench/convolution_3d.rs": polybench::convolution_3d::convolution_3d::clean::kernel, polybench::convolution_3d::convolution_3d::racy::kernel;
    "src/polybench/correlation.rs": polybench::correlation::correlation::average::kernel, polybench::correlation::correlation::deviate::kernel, polybench::correlation::correlation::normalize::kernel, polybench::correlation::correlation::correlate::kernel, polybench::correlation::correlation::racy::kernel;
    "src/polybench/covariance.rs": polybench::covariance::covariance::center::kernel, polybench::covariance::covariance::products::kernel, polybench::covariance::covariance::racy::kernel;
    "src/polybench/doitgen.rs": polybench::doitgen::doitgen::clean::kernel, polybench::doitgen::doitgen::racy::kernel;
    "src/polybench/fdtd_2d.rs": polybench::fdtd_2d::fdtd_2d::electric::kernel, polybench::fdtd_2d::fdtd_2d::magnetic::kernel, polybench::fdtd_2d::fdtd_2d::advance::kernel, polybench::fdtd_2d::fdtd_2d::racy::kernel;
    "src/polybench/gemm.rs": polybench::gemm::gemm::clean::kernel, polybench::gemm::gemm::racy::kernel;
    "src/polybench/gemver.rs": polybench::gemver::gemver::update::kernel, polybench::gemver::gemver::columns::kernel, polybench::gemver::gemver::rows::kernel, polybench::gemver::gemver::racy::kernel;
    "src/polybench/gesummv.rs": polybench::gesummv::gesummv::clean::kernel, polybench::gesummv::gesummv::racy::kernel;
    "src/polybench/gramschmidt.rs": polybench::gramschmidt::gramschmidt::normalize::kernel, polybench::gramschmidt::gramschmidt::project::kernel, polybench::gramschmidt::gramschmidt::advance::kernel, polybench::gramschmidt::gramschmidt::racy::kernel;
    "src/polybench/jacobi_1d.rs": polybench::jacobi_1d::jacobi_1d::forth::kernel, polybench::jacobi_1d::jacobi_1d::back::kernel, polybench::jacobi_1d::jacobi_1d::racy::kernel;
    "src/polybench/jacobi_2d.rs": polybench::jacobi_2d::jacobi_2d::forth::kernel, polybench::jacobi_2d::jacobi_2d::back::kernel, polybench::jacobi_2d::jacobi_2d::racy::kernel;
    "src/polybench/lu.rs": polybench::lu::lu::reduce::kernel, polybench::lu::lu::advance::kernel, polybench::lu::lu::racy::kernel;
    "src/polybench/mvt.rs": polybench::mvt::mvt::rows::kernel, polybench::mvt::mvt::columns::kernel, polybench::mvt::mvt::racy::kernel;
    "src/polybench/syr2k.rs": polybench::syr2k::syr2k::clean::kernel, polybench::syr2k::syr2k::racy::kernel;
    "src/polybench/syrk.rs": polybench::syrk::syrk::clean::kernel, polybench::syrk::syrk::racy::kernel;
    "src/polybench/three_mm.rs": polybench::three_mm::three_mm::multiply_both::kernel, polybench::three_mm::three_mm::multiply_products::kernel, polybench::three_mm::three_mm::racy::kernel;
    "src/polybench/two_mm.rs": polybench::two_mm::two_mm::multiply_first::kernel, polybench::two_mm::two_mm::multiply_second::kernel, polybench::two_mm::two_mm::racy::kernel;
    "src/ported/collatz.rs": ported::collatz::collatz::clean::kernel, ported::collatz::collatz::racy::kernel;
    "src/ported/reduce.rs": ported::reduce::reduce::clean::kernel, ported::reduce::reduce::racy::kernel;
    "src/ported/sums.rs": ported::sums::sums::alone::kernel::<8>, ported::sums::sums::together::kernel::<8>, ported::sums::sums::weighted::kernel::<8>, ported::sums::sums::racy::kernel;
    "src/radix_sort.rs": radix_sort::radix_sort::count::kernel, radix_sort::radix_sort::offset::kernel, radix_sort::radix_sort::scatter::kernel, radix_sort::radix_sort::racy::kernel;
    "src/ring_buffer.rs": ring_buffer::ring_buffer::clean::kernel, ring_buffer::ring_buffer::racy::kernel;
    "src/rodinia/backprop.rs": rodinia::backprop::backprop::forward::kernel, rodinia::backprop::backprop::activate::kernel, rodinia::backprop::backprop::adjust::kernel, rodinia::backprop::backprop::racy::kernel;
    "src/rodinia/gaussian.rs": rodinia::gaussian::gaussian::multipliers::kernel, rodinia::gaussian::gaussian::subtract::kernel, rodinia::gaussian::gaussian::advance::kernel, rodinia::gaussian::gaussian::racy::kernel;
    "src/rodinia/hotspot.rs": rodinia::hotspot::hotspot::clean::kernel, rodinia::hotspot::hotspot::racy::kernel;
    "src/rodinia/lud.rs": rodinia::lud::lud::diagonal::kernel, rodinia::lud::lud::perimeter::kernel, rodinia::lud::lud::internal::kernel, rodinia::lud::lud::advance::kernel, rodinia::lud::lud::racy::kernel;
    "src/rodinia/nn.rs": rodinia::nn::nn::distances::kernel, rodinia::nn::nn::nearest::kernel, rodinia::nn::nn::racy::kernel;
    "src/rodinia/pathfinder.rs": rodinia::pathfinder::pathfinder::climb::kernel, rodinia::pathfinder::pathfinder::advance::kernel, rodinia::pathfinder::pathfinder::racy::kernel;
    "src/rodinia/srad.rs": rodinia::srad::srad::sum::kernel, rodinia::srad::srad::variance::kernel, rodinia::srad::srad::coefficients::kernel, rodinia::srad::srad::diffuse::kernel, rodinia::srad::srad::racy::kernel;
    "src/sampled_blur.rs": sampled_blur::sampled_blur::clean::kernel, sampled_blur::sampled_blur::racy::kernel;
    "src/saxpy.rs": saxpy::saxpy::clean::kernel, saxpy::saxpy::racy::kernel;
    "src/scan_blelloch.rs": scan_blelloch::scan_blelloch::clean::kernel, scan_blelloch::scan_blelloch::racy::kernel;
    "src/scan_hillis_steele.rs": scan_hillis_steele::scan_hillis_steele::clean::kernel, scan_hillis_steele::scan_hillis_steele::racy::kernel;
    "src/scan_multi_pass.rs": scan_multi_pass::scan_multi_pass::scan_blocks::kernel, scan_multi_pass::scan_multi_pass::scan_sums::kernel, scan_multi_pass::scan_multi_pass::add_sums::kernel, scan_multi_pass::scan_multi_pass::racy::kernel;
    "src/sobel.rs": sobel::sobel::clean::kernel, sobel::sobel::racy::kernel;
    "src/spin_lock.rs": spin_lock::spin_lock::clean::kernel, spin_lock::spin_lock::racy::kernel;
    "src/subgroup_sum.rs": subgroup_sum::subgroup_sum::clean::kernel, subgroup_sum::subgroup_sum::racy::kernel;
    "src/tone_map.rs": tone_map::tone_map::clean::kernel, tone_map::tone_map::racy::kernel;
    "src/transform.rs": transform::transform::clean::kernel, transform::transform::racy::kernel;
    "src/transpose.rs": transpose::transpose::clean::kernel, transpose::transpose::racy::kernel;
    "src/tree_sum.rs": tree_sum::tree_sum::kernel, tree_sum::tree_sum_without_a_barrier_in_the_loop::kernel;
    "src/upper_case.rs": upper_case::upper_case::clean::kernel, upper_case::upper_case::racy::kernel;
    "src/wave.rs": wave::wave::clean::kernel, wave::wave::racy::kernel;
}

#[test]
fn the_macro_and_the_reader_of_files_make_the_same_wgsl() {
    for (name, compiled) in kernels() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        let file = parse_file_among(name, &path, &text, &[]).unwrap();

        // Kernels in function bodies cannot be named from outside the function.
        let mut named: Vec<&str> = compiled.iter().filter_map(Kernel::entry).collect();
        let mut there: Vec<&str> = file.kernels().collect();
        named.sort_unstable();
        there.sort_unstable();
        assert_eq!(named, there, "the kernels of {name} are all compared");

        let items =
            file.items.iter().map(|item| item.as_ref().unwrap().plain().unwrap().into_owned());
        let source = SourceMap::new(name, text.as_str());
        let instances = file.generic.iter().map(|generic| {
            let instance = generic.instance(&source, &vec![VALUE; generic.parameters.len()]);
            instance.unwrap().plain().unwrap().into_owned()
        });
        let read: Vec<String> = items.chain(instances).collect();
        for kernel in &compiled {
            let entry = kernel.entry().unwrap();
            assert!(read.iter().any(|text| *text == kernel.wgsl()), "`{entry}` of {name} differs");
        }
    }
}

#[test]
fn every_file_with_kernels_is_compared() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let compared: Vec<&str> = kernels().into_iter().map(|(name, _)| name).collect();
    for folder in ["src", "src/constructs", "src/parboil", "src/polybench", "src/rodinia"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let name = format!("{folder}/{}", entry.unwrap().file_name().to_string_lossy());
            let Ok(text) = std::fs::read_to_string(root.join(&name)) else { continue };
            let has_kernels = text.lines().any(|line| line.starts_with("#[hirace::monitor"));
            assert!(!has_kernels || compared.contains(&name.as_str()), "{name} is not compared");
        }
    }
}
