//! Target environments, as glslang names them.

use crate::TargetEnvironment;
use glslang_sys as sys;

/// Returns the client, its version and the version of SPIR-V of an environment.
pub fn client(
    target: TargetEnvironment,
) -> (
    sys::glslang_client_t,
    sys::glslang_target_client_version_t,
    sys::glslang_target_language_version_t,
) {
    use sys::glslang_target_client_version_t as Client;
    use sys::glslang_target_language_version_t as Spirv;
    let vulkan = sys::glslang_client_t::Vulkan;
    match target {
        TargetEnvironment::Vulkan1_0 => (vulkan, Client::Vulkan1_0, Spirv::SPIRV1_0),
        TargetEnvironment::Vulkan1_1 => (vulkan, Client::Vulkan1_1, Spirv::SPIRV1_3),
        TargetEnvironment::Vulkan1_2 => (vulkan, Client::Vulkan1_2, Spirv::SPIRV1_5),
        TargetEnvironment::Vulkan1_3 => (vulkan, Client::Vulkan1_3, Spirv::SPIRV1_6),
        TargetEnvironment::Vulkan1_4 => (vulkan, Client::Vulkan1_4, Spirv::SPIRV1_6),
        TargetEnvironment::OpenGl => {
            (sys::glslang_client_t::OpenGL, Client::OpenGL450, Spirv::SPIRV1_0)
        }
    }
}

/// Returns the rules that apply.
pub fn messages(target: TargetEnvironment) -> sys::glslang_messages_t {
    use sys::glslang_messages_t as Messages;
    let rules = Messages::SPV_RULES | Messages::DEBUG_INFO | Messages::SUPPRESS_WARNINGS;
    match target {
        TargetEnvironment::OpenGl => rules,
        _ => rules | Messages::VULKAN_RULES,
    }
}
