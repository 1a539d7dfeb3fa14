# For cache.sh: FOLDER/x.json is T4 by Kernel Tuner's schema, FOLDER/x.cache.json a cache that
# its simulation mode reads; what it makes of it is written as T4 to FOLDER/theirs.json.
import json
import pathlib
import sys

import jsonschema
import kernel_tuner
from kernel_tuner.file_utils import output_file_schema, store_output_file

folder = pathlib.Path(sys.argv[1])
results = json.loads((folder / "x.json").read_text())
version, schema = output_file_schema("results")
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.validate(results, schema)
assert results["schema_version"] == version, version
try:  # the schema says something: it refuses a wrong word
    results["results"][0]["invalidity"] = "ok"
    jsonschema.validate(results, schema)
    raise SystemExit("the schema accepts anything")
except jsonschema.ValidationError:
    pass

cache = str(folder / "x.cache.json")
before = pathlib.Path(cache).read_bytes()
stored = json.loads(before)
told, environment = kernel_tuner.interface.tune_cache(cache)
assert environment["device_name"] == 'A "device"\\', environment
assert len(told) == len([c for c in stored["cache"].values() if "__error__" not in c]), len(told)
told, _ = kernel_tuner.tune_kernel(
    "saxpy", "", 1, [], stored["tune_params"], cache=cache, simulation_mode=True, quiet=True)
assert pathlib.Path(cache).read_bytes() == before
assert len(told) == len(stored["cache"]) == 40, len(told)
errors = [t["__error__"] for t in told if "__error__" in t]
good = [t for t in told if "__error__" not in t]
best = min(good, key=lambda t: t["time"])
print("%d of %d fail, block_size_x=%d scale=%s way=%s: %.6g ms" % (
    len(errors), len(told), best["block_size_x"], best["scale"], best["way"], best["time"]))
kinds = sorted({type(e).__name__ for e in errors})
assert kinds == ["CompilationFailedConfig", "InvalidConfig", "RuntimeFailedConfig"], kinds
assert best["GB/s"] > 0 and best['"b",'] == best["block_size_x"], best
store_output_file(str(folder / "theirs.json"), told, stored["tune_params"])
