// The run that is open: its name, ranks and steps. Asked once.

import { signal } from "@preact/signals";
import { api, type Run } from "../api/client";

/** Null until the server has answered. */
export const run = signal<Run | null>(null);

/** Why there is no run. */
export const runProblem = signal<string | null>(null);

export function openRun() {
  runProblem.value = null;
  api.run().then(
    (found) => (run.value = found),
    (error) => (runProblem.value = error.message),
  );
}
