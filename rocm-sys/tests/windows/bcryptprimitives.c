// Rust's standard library asks this library of Windows 10 for random bytes; Wine has it since version 8.12.
#include <ntsecapi.h>
#include <windows.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) { return RtlGenRandom(bytes, (ULONG)count); }
