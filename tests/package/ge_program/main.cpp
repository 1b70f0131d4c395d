int RunProgram();

int main() { return RunProgram(); }
