"""Gather the data of all mobile agents under the one key ``"a"``."""

from typing import Any

import numpy as np


def _mobile(data: dict[str, Any]) -> list[str]:
    return [str(i) for i in range(sum(key.isdecimal() for key in data))]


def collate_observations(obs: dict[str, Any]) -> dict[str, Any]:
    """Stack every field of the mobile agents on a new last axis."""
    if "a" in obs:
        return obs
    mobile = _mobile(obs)
    fields = {
        name: np.stack([np.asarray(obs[idx][name]) for idx in mobile], axis=-1)
        for name in obs[mobile[0]]
    }
    return {**{key: value for key, value in obs.items() if key not in mobile}, "a": fields}


def collate_rewards(rew: dict[str, Any]) -> dict[str, Any]:
    """List the rewards of the mobile agents."""
    if "a" in rew:
        return rew
    mobile = _mobile(rew)
    rest = {key: value for key, value in rew.items() if key not in mobile}
    return {**rest, "a": [rew[idx] for idx in mobile]}


def collate_info(info: dict[str, Any]) -> dict[str, Any]:
    """Gather the infos of the mobile agents in a dict."""
    if "a" in info:
        return info
    mobile = _mobile(info)
    rest = {key: value for key, value in info.items() if key not in mobile}
    return {**rest, "a": {idx: info[idx] for idx in mobile}}
