from setuptools import Extension, setup

setup(name="bot", version="1.0", py_modules=["bot"], ext_modules=[Extension("rules", ["rules.c"])])
