//! Target environments, as glslang names them.

use crate::TargetEnvironment;
use glslang_sys as sys;

/// Returns the version of Vulkan of an environment, and that of SPIR-V.
pub fn versions(
    target: TargetEnvironment,
) -> (sys::glslang_target_client_version_t, sys::glslang_target_language_version_t) {
    use sys::glslang_target_client_version_t as Client;
    use sys::glslang_target_language_version_t as Spirv;
    match target {
        TargetEnvironment::Vulkan1_0 => (Client::Vulkan1_0, Spirv::SPIRV1_0),
        TargetEnvironment::Vulkan1_1 => (Client::Vulkan1_1, Spirv::SPIRV1_3),
        TargetEnvironment::Vulkan1_2 => (Client::Vulkan1_2, Spirv::SPIRV1_5),
        TargetEnvironment::Vulkan1_3 => (Client::Vulkan1_3, Spirv::SPIRV1_6),
        TargetEnvironment::Vulkan1_4 => (Client::Vulkan1_4, Spirv::SPIRV1_6),
    }
}

/// Returns the rules that apply.
pub fn messages() -> sys::glslang_messages_t {
    use sys::glslang_messages_t as Messages;
    Messages::SPV_RULES
        | Messages::VULKAN_RULES
        | Messages::DEBUG_INFO
        | Messages::SUPPRESS_WARNINGS
}
