"""As much of JSON Schema as the schema of the report uses. What it does not know it refuses, rather than ignore it."""

from __future__ import annotations

from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}
_SAID = {"$schema", "$defs", "title", "description"}


def problems(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "$") -> list[str]:
    """Return what is wrong with ``value``, each with its place."""
    if "$ref" in schema:
        return problems(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
    found = []
    for word, wanted in schema.items():
        if word == "type":
            names = [wanted] if isinstance(wanted, str) else wanted
            if isinstance(value, bool) or not any(isinstance(value, _TYPES[name]) for name in names):
                return [f"{at}: {value!r} is no {wanted}"]
        elif word == "const":
            found += [f"{at}: {value!r} is not {wanted!r}"] if value != wanted else []
        elif word in ("minimum", "maximum"):
            if isinstance(value, int | float) and (value < wanted if word == "minimum" else value > wanted):
                found.append(f"{at}: {value} is too {'small' if word == 'minimum' else 'large'}")
        elif word == "required":
            found += [f"{at}: no {name}" for name in wanted if isinstance(value, dict) and name not in value]
        elif word == "items":
            for number, item in enumerate(value if isinstance(value, list) else ()):
                found += problems(item, wanted, root, f"{at}[{number}]")
        elif word not in _SAID | {"properties", "additionalProperties"}:
            raise NotImplementedError(word)
    for name, inner in value.items() if isinstance(value, dict) else ():
        known = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
        found += [f"{at}: {name} is unknown"] if known is False else problems(inner, known, root, f"{at}.{name}")
    return found
