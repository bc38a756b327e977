"""What is wrong with the arguments of a kernel."""


class ArgumentError(TypeError, ValueError, RuntimeError):
    """An argument does not go with its parameter. slangtorch raises one of the three, by where it looks at the argument:
    programs that wait for one of them get this."""
