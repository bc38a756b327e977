//: HeldTensors remember tensor_of
/// The tensors that the program holds: what it has of one is a number, which begins at 1.
struct HeldTensors
{
    std::vector<torch::Tensor> tensors;
    HeldTensors* outer = current();
    HeldTensors() { current() = this; }
    ~HeldTensors() { current() = outer; }
    HeldTensors(const HeldTensors&) = delete;
    static HeldTensors*& current()
    {
        static thread_local HeldTensors* held = nullptr;
        return held;
    }
};
template <class Tensor> FN Tensor remember(const torch::Tensor& tensor)
{
    Tensor made{};
    auto& [data, number] = made;
    data = static_cast<std::decay_t<decltype(data)>>(tensor.data_ptr());
    auto& tensors = HeldTensors::current()->tensors;
    tensors.push_back(tensor);
    number = int64_t(tensors.size());
    return made;
}
template <class Tensor> FN torch::Tensor tensor_of(const Tensor& value)
{
    const auto& [data, number] = value;
    auto& tensors = HeldTensors::current()->tensors;
    if (number < 1 || number > int64_t(tensors.size()))
        throw std::runtime_error("a tensor is used that has no value");
    return tensors[size_t(number - 1)];
}
//: view
/// What a kernel sees of a tensor. It has to be on the device, with elements of the right type.
template <class View> FN View view(const torch::Tensor& tensor, const char* name, torch::ScalarType type)
{
    const auto refuse = [&](const char* what) { throw std::runtime_error(std::string(name) + ": " + what); };
    if (!tensor.defined())
        refuse("there is no tensor");
    if (!tensor.device().is_cuda())
        refuse("the tensor is not on a CUDA device");
    if (tensor.scalar_type() != type)
        refuse("the elements of the tensor have another type");
    View made{};
    auto& [data, strides, sizes, dimensions] = made;
    if (size_t(tensor.dim()) > sizeof sizes / sizeof(uint32_t))
        refuse("the tensor has more dimensions than are supported");
    data = static_cast<std::decay_t<decltype(data)>>(tensor.data_ptr());
    dimensions = uint32_t(tensor.dim());
    for (int i = 0; i < int(dimensions); i++)
    {
        const int64_t stride = tensor.stride(i) * int64_t(tensor.element_size());
        if (tensor.size(i) > int64_t(UINT32_MAX) || stride > int64_t(UINT32_MAX))
            refuse("the tensor is too large");
        if (stride == 0 && tensor.size(i) > 1 && tensor.numel() > 0)
            refuse("the tensor repeats elements: hand in `tensor.contiguous()`");
        sizes[i] = uint32_t(tensor.size(i));
        strides[i] = uint32_t(stride);
    }
    return made;
}
//: allocate allocate_like allocate_zeros
FN torch::TensorOptions on_device(torch::ScalarType type)
{
    return torch::TensorOptions().device(torch::kCUDA).dtype(type);
}
template <class Tensor> FN Tensor allocate(torch::ScalarType type, std::vector<int64_t> sizes)
{
    return remember<Tensor>(torch::empty(sizes, on_device(type)));
}
template <class Tensor> FN Tensor allocate_like(torch::ScalarType type, const Tensor& other)
{
    return remember<Tensor>(torch::empty_like(tensor_of(other), on_device(type)));
}
template <class Tensor> FN Tensor allocate_zeros(torch::ScalarType type, const Tensor& other)
{
    return remember<Tensor>(torch::zeros_like(tensor_of(other), on_device(type)));
}
//: tensor_dimensions tensor_size tensor_stride
template <class Tensor> FN uint tensor_dimensions(const Tensor& value) { return uint(tensor_of(value).dim()); }
template <class Tensor> FN uint tensor_size(const Tensor& value, uint i) { return uint(tensor_of(value).size(i)); }
template <class Tensor> FN uint tensor_stride(const Tensor& value, uint i) { return uint(tensor_of(value).stride(i)); }
//: fill fill_zero
template <class Tensor, class T> FN void fill(const Tensor& tensor, T value) { tensor_of(tensor).fill_(value); }
template <class Tensor> FN void fill_zero(const Tensor& tensor) { tensor_of(tensor).zero_(); }
//: start_kernel
/// Starts a kernel on PyTorch's stream.
template <class Size, class... Arguments>
FN void start_kernel(const void* kernel, Size blocks, Size threads, const Arguments&... arguments)
{
    void* places[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., nullptr};
    AT_CUDA_CHECK(cudaLaunchKernel(kernel, dim3(blocks.x, blocks.y, blocks.z), dim3(threads.x, threads.y, threads.z),
        places, 0, at::cuda::getCurrentCUDAStream()));
}
//: wait_for_stream
FN void wait_for_stream() { AT_CUDA_CHECK(cudaStreamSynchronize(at::cuda::getCurrentCUDAStream())); }
//: array_of
/// An array whose elements are made of those of another.
template <class To, int N, class From, class Each> FN To array_of(const From& from, Each each)
{
    To made{};
    for (int i = 0; i < N; i++)
        made[i] = each(from[i]);
    return made;
}
