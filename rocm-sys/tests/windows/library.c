// Plays a library of ROCm on Windows. Compiled with -DFUNCTION=name, -DVALUE=number and, to need another one, -DNEEDS=name.
#ifdef NEEDS
__declspec(dllimport) int NEEDS(void);
#else
#define NEEDS() 0
#endif

__declspec(dllexport) int FUNCTION(int* value) {
  *value = VALUE + NEEDS();
  return 0;
}
