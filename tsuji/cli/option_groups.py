"""Groups of options that several commands share, as dataclasses; a decorator expands them into a command's options."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, ClassVar, get_args, get_type_hints

from typer.models import OptionInfo


@dataclass(frozen=True)
class OptionGroup:
    """Base of option groups: frozen dataclasses whose fields are annotated like parameters of a typer command.

    `class Energy(OptionGroup, panel="Energy")` shows its options in a panel "Energy" of the help; arguments stay in the
    panel of arguments. A group may extend another one, and keeps its panel unless it names one.
    """

    panel: ClassVar[str]

    def __init_subclass__(cls, *, panel: str | None = None) -> None:
        super().__init_subclass__()
        if panel is not None:
            cls.panel = panel


def parameters_of(group: type[OptionGroup]) -> list[Parameter]:
    """Return the fields of a group as keyword parameters of a command, in the order in which they are declared."""
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=_in_panel(hints[field.name], group.panel),
        )
        for field in fields(group)
    ]


def _in_panel(hint: Any, panel: str) -> Any:
    """Return the annotation of a field with its option shown in this panel; an argument stays where it is."""
    kind, declared = get_args(hint)
    if isinstance(declared, OptionInfo):
        declared = copy(declared)
        declared.rich_help_panel = panel
    return Annotated[kind, declared]


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with each option group in its signature replaced by the group's fields.

    Parameters
    ----------
    command : callable
        Its parameters are option groups, options and arguments, in the order of the help.

    Raises
    ------
    ValueError
        If two parameters of the command have the same name.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type[OptionGroup]] = {}
    parameters: list[Parameter] = []
    for parameter in signature(command).parameters.values():
        hint = hints[parameter.name]
        if isinstance(hint, type) and issubclass(hint, OptionGroup):
            groups[parameter.name] = hint
            parameters += parameters_of(hint)
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hint))

    @wraps(command)
    def expanded(**values: Any) -> None:
        built = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**built, **values)

    expanded.__signature__ = Signature(parameters)  # type: ignore[attr-defined] # what typer reads
    expanded.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return expanded
