import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from franq_guard.errors import ConfigError, InputError
from franq_guard.report.plots import plot_precision_recall, plot_rejection, plot_reliability

matplotlib = pytest.importorskip("matplotlib")

PLOTS = (plot_reliability, plot_precision_recall, plot_rejection)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    p_true = rng.beta(3, 1, 200)
    labels = (rng.random(200) < p_true).astype(int)
    return {"before": p_true**6, "after": np.round(p_true, 1)}, labels


def words(path):
    """The texts of an SVG, and how many lines of each dash pattern it has."""
    root = ElementTree.parse(path).getroot()  # noqa: S314
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_same_input_gives_the_same_bytes(plot, ending, data, tmp_path):
    first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    plot(*data, first)
    with matplotlib.rc_context({"font.size": 20, "axes.grid": False, "lines.linewidth": 5}):
        plot(*data, second)
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes().startswith(b"\x89PNG" if ending == "png" else b"<?xml")


@pytest.mark.parametrize(
    ("plot", "texts"),
    [
        (
            plot_reliability,
            ["predicted P(true)", "share of claims that are true", "claims", "perfectly calibrated"],
        ),
        (
            plot_precision_recall,
            ["recall: share of the false claims found", "precision: share of the found that are false"],
        ),
        (
            plot_rejection,
            ["share of claims rejected", "share of the kept claims that are true", "oracle", "random order"],
        ),
    ],
)
def test_axes_and_lines_are_labelled(plot, texts, data, tmp_path):
    plot(*data, tmp_path / "plot.svg")
    found = words(tmp_path / "plot.svg")
    assert set(texts) <= set(found)
    for name in ("before", "after"):
        assert any(text.startswith(f"{name} (") for text in found)


def test_the_base_rate_is_drawn(data, tmp_path):
    scores, labels = data
    plot_precision_recall(scores, labels, tmp_path / "plot.svg")
    assert f"random (base rate {1 - labels.mean():.3f})" in words(tmp_path / "plot.svg")


@pytest.mark.parametrize("plot", PLOTS)
def test_lines_can_be_told_apart_without_colour(plot, data, tmp_path, monkeypatch):
    import matplotlib.figure

    drawn = []
    save = matplotlib.figure.Figure.savefig
    monkeypatch.setattr(
        matplotlib.figure.Figure, "savefig", lambda self, *a, **k: (drawn.append(self), save(self, *a, **k))
    )
    scores, labels = data
    many = {f"method {number}": np.clip(scores["after"] - 0.1 * number, 0, 1) for number in range(5)}
    plot(many, labels, tmp_path / "plot.png")
    [figure] = drawn
    looks = [(line.get_linestyle(), line.get_marker()) for line in figure.axes[0].get_lines()]
    looks = [look for look in looks if look[1] in "osD^v"]
    assert len(looks) == len(set(looks)) == 5


def test_names_are_not_formulas(data, tmp_path):
    scores, labels = data
    plot_rejection({"cost_$x$_$": scores["after"]}, labels, tmp_path / "plot.svg")
    assert any("cost_$x$_$" in text for text in words(tmp_path / "plot.svg"))


def test_few_and_extreme_scores(tmp_path):
    plot_reliability({"all": [0.0, 1.0, 1.0]}, [0, 1, None], tmp_path / "plot.png")
    plot_precision_recall({"all": [-np.inf, np.inf]}, [0, 1], tmp_path / "plot.png")
    plot_rejection({"all": [0.5, 0.5]}, [0, 1], tmp_path / "plot.png", max_rejection=1.0)


def test_bad_input(data, tmp_path):
    scores, labels = data
    with pytest.raises(ConfigError, match=r"\.png or \.svg"):
        plot_reliability(scores, labels, tmp_path / "plot.gif")
    with pytest.raises(InputError, match="cannot write"):
        plot_reliability(scores, labels, tmp_path / "none" / "plot.png")
    with pytest.raises(InputError, match="one class"):
        plot_rejection(scores, np.ones(200), tmp_path / "plot.png")
    with pytest.raises(InputError, match="at least one method"):
        plot_precision_recall({}, labels, tmp_path / "plot.png")
    with pytest.raises(InputError, match="probabilities"):
        plot_reliability({"raw": -scores["after"]}, labels, tmp_path / "plot.png")
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_the_extra_is_named(data, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ConfigError, match=r"pip install 'franq-guard\[plot\]'"):
        plot_reliability(*data, tmp_path / "plot.png")
