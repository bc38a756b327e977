// Compiles HLSL with libdxcompiler, whose own program for the command line is in no package.
// usage: dxc FILE [argument of DXC]...
#define __EMULATE_UUID 1
#include "WinAdapter.h"
#include "dxcapi.h"

#include <dlfcn.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

static int fail(const char *message) {
  std::cerr << message << "\n";
  return 2;
}

int main(int count, char **arguments) {
  if (count < 2) return fail("usage: dxc FILE [argument of DXC]...");
  void *library = dlopen("libdxcompiler.so", RTLD_NOW);
  if (!library) return fail(dlerror());
  auto create = (DxcCreateInstanceProc)dlsym(library, "DxcCreateInstance");
  IDxcCompiler3 *compiler = nullptr;
  if (!create || create(CLSID_DxcCompiler, __uuidof(IDxcCompiler3), (void **)&compiler) < 0)
    return fail("libdxcompiler.so makes no compiler");

  std::ifstream file(arguments[1]);
  if (!file) return fail("the file cannot be read");
  std::stringstream text;
  text << file.rdbuf();
  std::string source = text.str();

  std::vector<std::wstring> owned;
  for (int index = 1; index < count; index++)
    owned.emplace_back(arguments[index], arguments[index] + std::char_traits<char>::length(arguments[index]));
  std::vector<LPCWSTR> passed;
  for (auto &argument : owned) passed.push_back(argument.c_str());

  DxcBuffer buffer{source.data(), source.size(), DXC_CP_UTF8};
  IDxcResult *result = nullptr;
  HRESULT called = compiler->Compile(&buffer, passed.data(), passed.size(), nullptr, __uuidof(IDxcResult), (void **)&result);
  if (called < 0) return fail("the compiler cannot be called");
  IDxcBlobUtf8 *messages = nullptr;
  result->GetOutput(DXC_OUT_ERRORS, __uuidof(IDxcBlobUtf8), (void **)&messages, nullptr);
  if (messages && messages->GetStringLength()) std::cerr << messages->GetStringPointer();
  HRESULT status;
  result->GetStatus(&status);
  return status < 0 ? 1 : 0;
}
