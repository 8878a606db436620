"""A minimal reinforcement learning loop with stages, in numpy: a gambler learns which of eight machines pays most.

python train_rl.py --config configs/rl.yaml
"""

from __future__ import annotations

import argparse

import numpy

import npuscope
from asking import add_options, profiler_of


def softmax(values: numpy.ndarray) -> numpy.ndarray:
    powers = numpy.exp(values - values.max())
    return powers / powers.sum()


class Gambler:
    """Prefers some machines to others, and learns by how much."""

    def __init__(self, machines: int) -> None:
        self.random = numpy.random.default_rng(0)
        self.preference = numpy.zeros(machines)

    @npuscope.stage("actor_generate")
    def play(self, games: int) -> numpy.ndarray:
        return self.random.choice(len(self.preference), size=games, p=softmax(self.preference))

    @npuscope.stage("actor_compute_log_prob")
    def log_probability(self, games: numpy.ndarray) -> numpy.ndarray:
        return numpy.log(softmax(self.preference)[games])

    @npuscope.stage("actor_update")
    def learn(self, games: numpy.ndarray, gains: numpy.ndarray) -> None:
        for game, gain in zip(games, gains - gains.mean()):
            slope = -softmax(self.preference)
            slope[game] += 1
            self.preference += 0.1 * gain * slope


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    options, others = parser.parse_known_args()

    gambler, pays = Gambler(8), numpy.linspace(0, 1, 8)
    with profiler_of(options, others) as prof:
        for _ in range(options.steps):
            games = gambler.play(64)
            gambler.log_probability(games)
            gambler.learn(games, pays[games])
            prof.step()
    print(
        f"{options.steps} iterations, the best machine is played with probability {softmax(gambler.preference)[-1]:.3f}"
    )


if __name__ == "__main__":
    main()
