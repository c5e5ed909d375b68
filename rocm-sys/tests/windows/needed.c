// What another library needs. Compiled with -DFUNCTION=name.
__declspec(dllexport) int FUNCTION(void) { return 10; }
