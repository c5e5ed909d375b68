// Rust asks this library of Windows 10 for random bytes, and older versions of Wine, such as 8.0, lack it.
#include <windows.h>

// Called RtlGenRandom in headers.
BOOLEAN NTAPI SystemFunction036(PVOID bytes, ULONG count);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) {
  return SystemFunction036(bytes, (ULONG)count);
}
