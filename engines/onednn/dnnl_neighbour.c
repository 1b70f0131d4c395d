/* libge_dnnl.so: linked with oneDNN, and nothing else. The engine's plug-in opens it when it first needs oneDNN, so the
 * loader finds oneDNN as for any library that is linked with it, and packagers see that it is needed. */
__attribute__((visibility("default"))) const char ge_dnnl_neighbour[] = "oneDNN";
