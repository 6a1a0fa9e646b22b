"""projector_config.pbtxt, as TensorFlow, torch, tensorboardX and people write it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.errors import FormatError
from milepost.formats.plugins import EmbeddingInfo, SpriteMetadata
from milepost.formats.projector_text import read_projector_config
from milepost.summary.projector import config_text


def test_what_we_write_comes_back() -> None:
    info = EmbeddingInfo(
        'a "b"\\c\nd é', tensor_path="0/t.tsv", tensor_shape=[3, 4], metadata_path="m.tsv",
        sprite=SpriteMetadata("s.png", [8, 9]),
    )  # fmt: skip
    config = read_projector_config(config_text(info) + config_text(EmbeddingInfo("x", tensor_path="y")))
    assert config.embeddings == [info, EmbeddingInfo("x", tensor_path="y")]


def test_other_spellings() -> None:
    """One line, single quotes, angle brackets, lists, comments, octal UTF-8, fields nobody knows."""
    text = r"""model_checkpoint_path: 'a/ck' 'pt-1'  # two texts are one
    embeddings < tensor_name: "w\303\251" tensor_shape: [5, 6]; newer { deep { deeper: 1 } } flag: true ratio: -1.5e3 > embeddings{tensor_name:"z"}"""
    config = read_projector_config(text)
    assert config.model_checkpoint_path == "a/ckpt-1"
    assert [(e.tensor_name, e.tensor_shape) for e in config.embeddings] == [("wé", [5, 6]), ("z", [])]


@pytest.mark.parametrize("text", ["embeddings {", "embeddings }", 'x: "', "x:", "{", "a: }", "\x00", "a {" * 50])
def test_what_is_wrong_is_told(text: str) -> None:
    with pytest.raises(FormatError, match=r"projector_config\.pbtxt"):
        read_projector_config(text)


@given(st.text(alphabet="ab{}<>[]:\"\\'1 \n#", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_projector_config(text)
    except FormatError:
        pass
