#pragma once
// See `torch/extension.h`.
