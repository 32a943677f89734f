"""Makes src/compliance_client/generated from the service's description.

It is not kept in the repository: it is built with the package, so that it cannot be another version
than the description beside it.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
API = HERE / "../../docs/api.yaml"


def main(output: Path) -> None:
    text = API.read_text(encoding="utf-8")
    # The client makes a key where the caller gives none.
    key = re.compile(r"(\n    IdempotencyKey:\n(?: {6}.*\n)*? {6}required: )true\n")
    text, found = key.subn(r"\1false\n", text)
    if found != 1:
        sys.exit("docs/api.yaml has no components.parameters.IdempotencyKey to make optional")
    generator = Path(sys.executable).parent / "openapi-python-client"
    with tempfile.TemporaryDirectory() as folder:
        api = Path(folder) / "api.yaml"
        api.write_text(text, encoding="utf-8")
        config = Path(folder) / "config.yaml"
        # A word of a choice is the word itself, not a member of a class.
        config.write_text("literal_enums: true\n", encoding="utf-8")
        options = ["--config", config, "--meta", "none", "--overwrite", "--output-path", output]
        subprocess.run([generator, "generate", "--path", api, *options], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "src/compliance_client/generated")
