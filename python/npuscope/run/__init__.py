"""`npuscope run`: record the training that a command starts, without a change to its script.

Before training, `__main__` reads the settings (`sources`), looks at what the command runs (`script`), reports what
will be recorded (`announcement`), and starts the command (`process`) with the directory `site` in PYTHONPATH. There,
`sitecustomize` runs in every Python process of the job. It installs the hooks (`hooks`) of the frameworks, and the
hooks report the steps to a `session`, which records. At the end, `summary` lists what was recorded.

Training comes first: no hook raises, and the exit code is that of the command.
"""
