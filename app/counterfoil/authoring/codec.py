"""How values become recorded text and back: canonical JSON with tags, decoded in the direction of the annotation.

Pickle was rejected: a record must be readable by a person, by another language and by the next version, and decoding hostile
bytes must not run code. The live call returns the decoded copy too, so live and replayed values are the same.

Tags: `$dec` decimal, `$date`, `$at` aware instant, `$span` timedelta (microseconds), `$path`, `$bytes` (base64, up to 64 KiB),
`$blob` + `size` (sha-256 of longer bytes, kept outside), `$type` dataclass or Money, `$secret` a handle, `$map` a dict whose keys
are not plain text.

Text is written as it is, except for what UTF-8 cannot hold (half a surrogate pair, as in the name of a file that is not UTF-8):
that is escaped, so a canonical text always goes into a database and onto a wire.
"""

from counterfoil.authoring.decoding import BlobsMissing, Decoder, decode, decode_plain, decoder_for, hints_of
from counterfoil.authoring.encoding import Secret, Unrecordable, blob_shas, canonical, digest, encode, to_plain
from counterfoil.authoring.tags import check_plain

__all__ = [
    "BlobsMissing",
    "Decoder",
    "Secret",
    "Unrecordable",
    "blob_shas",
    "canonical",
    "check_plain",
    "decode",
    "decode_plain",
    "decoder_for",
    "digest",
    "encode",
    "hints_of",
    "to_plain",
]
