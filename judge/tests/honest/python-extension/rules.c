#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *first(PyObject *self, PyObject *moves) { return PySequence_GetItem(moves, 0); }
static PyMethodDef METHODS[] = {{"first", first, METH_O, NULL}, {NULL}};
static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "rules", NULL, -1, METHODS};
PyMODINIT_FUNC PyInit_rules(void) { return PyModule_Create(&MODULE); }
