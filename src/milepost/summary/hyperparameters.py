"""Hyperparameters of a run. In: names and values. Out: the events the HParams plugin reads, in the run itself.

The data is in the metadata; the tensor beside it is empty, as TensorBoard writes it. Not here: reading them (`store`).
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from milepost.engines.host import to_scalar
from milepost.errors import SummaryError
from milepost.formats.event import Dim, SummaryValue, TensorProto, TensorShape
from milepost.formats.plugins import (
    EXPERIMENT_TAG,
    HPARAMS,
    SESSION_END_TAG,
    SESSION_START_TAG,
    DataType,
    Experiment,
    HParamInfo,
    HParamsPluginData,
    Interval,
    ListValue,
    MetricInfo,
    MetricName,
    SessionEndInfo,
    SessionStartInfo,
    Status,
    Value,
)  # fmt: skip
from milepost.summary.emit import encode_event, metadata_for, recorder

__all__ = ["experiment_value", "hparams", "hparams_config", "plain_hparam", "session_end_value", "session_start_value"]


def plain_hparam(name: str, value: Any) -> bool | float | str:
    """A hyperparameter as one of the three kinds there are."""
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return float(value)
    if hasattr(value, "item") or hasattr(value, "shape"):
        dtype = str(getattr(value, "dtype", ""))
        return bool(value) if dtype.endswith(("bool", "bool_")) else to_scalar(value)
    raise SummaryError(
        f"hyperparameter {name!r} has a value no table can show", got=type(value).__name__, want="bool, number or str"
    )


def _value(value: bool | float | str) -> Value:
    if isinstance(value, bool):
        return Value(bool_value=value)
    return Value(string_value=value) if isinstance(value, str) else Value(number_value=float(value))


def _kind(value: Any) -> int:
    if isinstance(value, bool):
        return DataType.BOOL
    return DataType.STRING if isinstance(value, str) else DataType.FLOAT64


def _summary_value(tag: str, data: HParamsPluginData) -> SummaryValue:
    nothing = TensorProto(dtype=1, shape=TensorShape([Dim(size=0)]))
    return SummaryValue(tag=tag, tensor=nothing, metadata=metadata_for(HPARAMS, content=data.encode()))


def session_start_value(
    hparams: Mapping[str, Any], *, group_name: str = "", start_time_secs: float = 0.0
) -> SummaryValue:
    values = {name: _value(plain_hparam(name, value)) for name, value in hparams.items() if value is not None}
    info = SessionStartInfo(hparams=values, group_name=group_name, start_time_secs=start_time_secs)
    return _summary_value(SESSION_START_TAG, HParamsPluginData(session_start_info=info))


def session_end_value(status: int = Status.SUCCESS, end_time_secs: float = 0.0) -> SummaryValue:
    return _summary_value(SESSION_END_TAG, HParamsPluginData(session_end_info=SessionEndInfo(status, end_time_secs)))


def _domain(name: str, domain: Any) -> HParamInfo:
    if domain is None:
        return HParamInfo(name=name)
    if isinstance(domain, tuple) and len(domain) == 2 and not isinstance(domain[0], (bool, str)):
        return HParamInfo(
            name=name, type=DataType.FLOAT64, domain_interval=Interval(float(domain[0]), float(domain[1]))
        )
    values = [plain_hparam(name, value) for value in domain]
    if not values:
        raise SummaryError(f"the domain of hyperparameter {name!r} is empty")
    return HParamInfo(name=name, type=_kind(values[0]), domain_discrete=ListValue([_value(v) for v in values]))


def experiment_value(
    hparams: Mapping[str, Any], metrics: Iterable[str], *, domains: Mapping[str, Sequence[Any]] | None = None,
    time_created_secs: float = 0.0,
) -> SummaryValue:  # fmt: skip
    """The columns of the table: hyperparameters with their kinds (and domains), metrics by tag."""
    infos = []
    for name, value in hparams.items():
        if value is None:
            continue
        plain = plain_hparam(name, value)
        domain = (domains or {}).get(name)
        discrete = None if domain is None else ListValue([_value(plain_hparam(name, v)) for v in domain])
        infos.append(HParamInfo(name=name, type=_kind(plain), domain_discrete=discrete))
    experiment = Experiment(
        hparam_infos=infos,
        metric_infos=[MetricInfo(MetricName(tag=tag)) for tag in metrics],
        time_created_secs=time_created_secs,
    )
    return _summary_value(EXPERIMENT_TAG, HParamsPluginData(experiment=experiment))


def hparams(hparams: Mapping[str, Any], trial_id: str | None = None, start_time_secs: float | None = None) -> bool:
    """Write the hyperparameters of this run. Runs with the same `trial_id` (or the same values) are one group."""
    writer = recorder()
    if writer is None:
        return False
    # the same kinds as TensorBoard: an integer stays one in the group's name
    plain = {
        name: (value if isinstance(value, (bool, int, float, str)) else plain_hparam(name, value))
        for name, value in sorted(hparams.items())
        if value is not None
    }
    if trial_id is None:
        trial_id = hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    started = time.time() if start_time_secs is None else start_time_secs
    value = session_start_value(plain, group_name=trial_id, start_time_secs=started)
    return writer.append(encode_event([value], 0, time.time()))


def hparams_config(hparams: Mapping[str, Any], metrics: Iterable[str], time_created_secs: float | None = None) -> bool:
    """Write what an experiment is made of, once, in the directory above its runs.

    `hparams` maps a name to its domain: a list of values, a pair (low, high), or None. `metrics` are scalar tags.
    """
    writer = recorder()
    if writer is None:
        return False
    experiment = Experiment(
        hparam_infos=[_domain(name, domain) for name, domain in hparams.items()],
        metric_infos=[MetricInfo(MetricName(tag=tag)) for tag in metrics],
        time_created_secs=time.time() if time_created_secs is None else time_created_secs,
    )
    value = _summary_value(EXPERIMENT_TAG, HParamsPluginData(experiment=experiment))
    return writer.append(encode_event([value], 0, time.time()))
