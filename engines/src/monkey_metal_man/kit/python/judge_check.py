"""Finds the class of a submission and checks it, without running any of it.

Arguments: the modules that submissions may import beside their own and the standard library.

The last line says what to run, as a JSON list of arguments for the interpreter; or which of those
modules is not installed, as {"lacks": MODULE}; or, where the exit code is not 0, what is wrong, in
plain words.
"""

import ast
import importlib.util
import json
import os
import sys
import traceback
import warnings

CHOICE = "judge_class.txt"
KIT = ["judge_kit.py", "judge_check.py", "judge_cage.py"]
LIBRARIES = sys.argv[1:]
CONSTRUCTOR = ["spotter_point", "assasin_point", "spotter_direction", "assasin_direction"]
STEP = ["percepts"]
# A keyword of the course's template.
KEYWORD = "print_logs"
METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)


def main():
    files = {path: parse(path) for path in sorted(python_files())}
    classes = {
        (path, node.name): node
        for path, tree in files.items()
        if isinstance(tree, ast.Module)
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    path, name = choose(classes, files)
    all_reached = reachable(path, files)
    for reached in all_reached:
        if isinstance(files[reached], SyntaxError):
            refuse_syntax(files[reached])
    for reached in all_reached:
        check_imports(reached, files)
    # The constructor of the class that has step, or that inherits it, is what is called.
    constructor = find_constructor(classes, path, name)
    wanted = constructor is not None and keyword_wanted(constructor[-1])
    if constructor is not None:
        check(name, *constructor, CONSTRUCTOR)
    check(name, *find_method(classes, path, name, "step"), STEP)
    kind = "package" if any(is_relative(files[reached]) for reached in all_reached) else "file"
    print(json.dumps([KIT[0], path, name, kind, *([KEYWORD] if wanted else [])]))


def python_files():
    for folder, _, names in os.walk("."):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), ".")
            if name.endswith(".py") and path not in KIT:
                yield path


def parse(path):
    """Returns the syntax tree, or the error."""
    with open(path, "rb") as file:
        text = file.read()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            return compile(text, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return error if isinstance(error, SyntaxError) else SyntaxError(str(error), (path, 1, 0, ""))


def choose(classes, files):
    """Finds the one class with a method `step` that no other such class builds on."""
    having = {key for key, node in classes.items() if find_method(classes, *key, "step")}
    bases = {base for key in having for base in bases_of(classes, *key)}
    wanted = choice()
    if wanted is not None:
        found = sorted(key for key in having if wanted in (key[1], ":".join(key)))
        if not found:
            refuse(f"judge.toml: class chooses {wanted}, and no such class has a method step")
    else:
        found = sorted(having - bases)
    if len(found) == 1:
        return found[0]
    for error in files.values():
        if isinstance(error, SyntaxError) and not found:
            refuse_syntax(error)
    if found:
        names = " and ".join(f"{name} in {path}" for path, name in found)
        refuse(f"several classes have a method step: {names}; submit one of them, or choose with class = \"{':'.join(found[0])}\" in judge.toml")
    refuse("no class has a method step(self, percepts)")


def choice():
    """Returns the class that the author has chosen, as NAME or FILE:NAME."""
    try:
        with open(CHOICE, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def bases_of(classes, path, name):
    """Returns the submission's own classes that a class builds on directly."""
    names = [ast.unparse(base).split(".")[-1] for base in classes[path, name].bases]
    for base in names:
        same_file = (path, base)
        others = [key for key in classes if key[1] == base and key != (path, name)]
        yield from [same_file] if same_file in others else others


def line_of(classes, path, name, above=()):
    """Returns a class and the submission's own ones that it builds on, in the order in which
    Python looks for a method; of one that is reached twice the last place counts."""
    above += ((path, name),)
    bases = [base for base in bases_of(classes, path, name) if base not in above]
    line = [owner for base in bases for owner in line_of(classes, *base, above)]
    return [(path, name), *reversed(dict.fromkeys(reversed(line)))]


def find_method(classes, path, name, method):
    """Returns a method, own or inherited, as (file, class, method); none where there is none."""
    for owner in line_of(classes, path, name):
        for node in classes[owner].body:
            if isinstance(node, METHODS) and node.name == method:
                return *owner, node
    return None


def required(arguments):
    positional = arguments.posonlyargs + arguments.args
    return [argument.arg for argument in positional[: len(positional) - len(arguments.defaults)]]


def keyword_wanted(method):
    pairs = zip(method.args.kwonlyargs, method.args.kw_defaults)
    return KEYWORD in required(method.args) or any(a.arg == KEYWORD and d is None for a, d in pairs)


def check(name, path, owner, method, arguments):
    """Checks that a class's method, its own or that of an owner elsewhere, can be called as the
    judge does."""
    parameters = method.args
    is_static = any(ast.unparse(decorator) == "staticmethod" for decorator in method.decorator_list)
    own = 0 if is_static else 1
    needed = [p for p in required(parameters) if p != KEYWORD][own:]
    taken = len(parameters.posonlyargs + parameters.args) - own
    keywords = zip(parameters.kwonlyargs, parameters.kw_defaults)
    odd = [p.arg for p, default in keywords if default is None and p.arg != KEYWORD]
    enough = parameters.vararg or taken >= len(arguments)
    if len(needed) > len(arguments) or not enough or odd or isinstance(method, ast.AsyncFunctionDef):
        what = "is asynchronous and " if isinstance(method, ast.AsyncFunctionDef) else ""
        given = ast.unparse(parameters)
        heir = f", which {name} inherits, " if owner != name else " "
        refuse(
            f"{path}, line {method.lineno}: {owner}.{method.name}({given}){heir}{what}cannot be called; "
            f"the course asks for def {method.name}(self, {', '.join(arguments)})"
        )


def find_constructor(classes, path, name):
    """Returns what a class is made by, its own or inherited, as find_method does; none where that
    cannot be seen here: it is a library's, or a decorator's."""
    for owner in line_of(classes, path, name):
        node = classes[owner]
        own = {method.name: method for method in node.body if isinstance(method, METHODS)}
        if "__init__" in own:
            return *owner, own["__init__"]
        decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
        if any("dataclass" in text for text in decorators):
            check_fields(classes, owner, path, name)
            return None
        if decorators or "__new__" in own or has_foreign_base(classes, *owner):
            return None
    refuse_to_make(classes, path, name)


def has_foreign_base(classes, path, name):
    """Returns whether a class builds on one that is not the submission's and has a constructor."""
    bases = {ast.unparse(base).split(".")[-1] for base in classes[path, name].bases}
    return bool(bases - {base for _, base in bases_of(classes, path, name)} - {"object", "ABC"})


def check_fields(classes, owner, path, name):
    """Checks a data class, or one that builds on it: it is made of its fields, and of those of
    the classes that it builds on."""
    nodes = [node for key in reversed(line_of(classes, *owner)) for node in classes[key].body]
    fields = {ast.unparse(node.target): node for node in nodes if isinstance(node, ast.AnnAssign)}
    needed = [field for field in fields.values() if field.value is None]
    if not len(needed) <= len(CONSTRUCTOR) <= len(fields):
        refuse_to_make(classes, path, name)


def refuse_to_make(classes, path, name):
    refuse(
        f"{path}, line {classes[path, name].lineno}: {name} cannot be made with {len(CONSTRUCTOR)} arguments; "
        f"the course asks for def __init__(self, {', '.join(CONSTRUCTOR)})"
    )


def reachable(path, files):
    """Returns the files that a file imports, itself first, and theirs."""
    stems = {}
    for other in files:
        stems.setdefault(os.path.splitext(os.path.basename(other))[0], []).append(other)
    reached, ahead = {path}, [path]
    while ahead:
        tree = files[ahead.pop()]
        for node in ast.walk(tree) if isinstance(tree, ast.Module) else []:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""] + [alias.name for alias in node.names]
            for part in {part for name in names for part in name.split(".")}:
                new = set(stems.get(part, [])) - reached
                reached |= new
                ahead += new
    return sorted(reached)


def check_imports(path, files):
    """Refuses imports of modules that may not be used, and tells of one that is not installed. What
    is tried out and not installed may be imported: that it is not there is the author's case."""
    own = {part.split(".")[0] for folder, _, names in os.walk(".") for part in [*names, *folder.split(os.sep)]}
    for line, name, tried in imports_of(files[path]):
        if name in own or name in sys.stdlib_module_names:
            continue
        installed = importlib.util.find_spec(name) is not None
        if name in LIBRARIES and not installed and not tried:
            print(json.dumps({"lacks": name}))
            sys.exit(0)
        if name not in LIBRARIES and (installed or not tried):
            allowed = ", ".join(["your own modules", "the standard library", *LIBRARIES])
            refuse(f"{path}, line {line}: {name} may not be imported; what may: {allowed}")


def imports_of(tree):
    """Yields the imports of a file, as (line, module without what is in it, whether it stands in
    the body of a try)."""
    tried = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Try)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
        for name in names:
            yield node.lineno, name.split(".")[0], id(node) in tried


def is_relative(tree):
    """Returns whether a file imports others by their place in a package."""
    nodes = ast.walk(tree) if isinstance(tree, ast.Module) else []
    return any(isinstance(node, ast.ImportFrom) and node.level for node in nodes)


def refuse_syntax(error):
    print("".join(traceback.format_exception_only(error)), end="")
    refuse(f"{error.filename}, line {error.lineno}: {error.msg}")


def refuse(words):
    print(words)
    sys.exit(1)


main()
