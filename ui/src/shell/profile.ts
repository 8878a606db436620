// The profile that is open: its name, ranks and steps. Asked once.

import { signal } from "@preact/signals";
import { api, type Profile } from "../api/client";

/** Null until the server has answered. */
export const profile = signal<Profile | null>(null);

/** Why there is no profile. */
export const profileError = signal<unknown>(null);

export function openProfile() {
  profileError.value = null;
  api.profile().then(
    (found) => (profile.value = found),
    (error) => (profileError.value = error),
  );
}
