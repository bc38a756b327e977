//! Runs emitted GPU code on a Vulkan device (lavapipe in CI).
