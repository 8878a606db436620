// The search: its hits, and which of them is looked at.

import { computed, effect, signal } from "@preact/signals";
import { api, type Hit, type Hits } from "../../api/client";
import { scope } from "../../scope";
import type { Board } from "./board";

/** Hits that one answer of the server has at most. */
const PAGE = 1000;

export class Search {
  readonly text = computed(() => scope.value.params.q ?? "");
  readonly found = signal<Hits | null>(null);
  readonly isBusy = signal(false);
  readonly error = signal<unknown>(null);
  /** Which hit is looked at; -1 for none yet. */
  readonly at = signal(-1);
  private readonly pages = new Map<number, Hit[]>();
  private readonly stop: () => void;

  constructor(private readonly board: Board) {
    this.stop = effect(() => {
      const text = this.text.value;
      this.read(text);
    });
  }

  close() {
    this.stop();
  }

  private read(text: string) {
    this.at.value = -1;
    this.found.value = null;
    this.error.value = null;
    this.pages.clear();
    this.isBusy.value = text !== "";
    if (text === "") return;
    api.search(text).then(
      (found) => {
        if (this.text.peek() !== text) return;
        this.isBusy.value = false;
        this.pages.set(0, found.hits);
        this.found.value = found;
      },
      (error) => {
        if (this.text.peek() !== text) return;
        this.isBusy.value = false;
        this.error.value = error;
      },
    );
  }

  /** Goes to the next hit, or the one before. The first time that is the first after the begin of the view. */
  step(by: 1 | -1) {
    const found = this.found.value;
    if (!found || found.count === 0) return;
    if (this.at.value < 0) {
      const { begin } = this.board.view.value;
      const first = found.hits.findIndex((hit) => this.board.moved(hit, hit.rank).begin >= begin);
      void this.goTo(by > 0 ? Math.max(first, 0) : found.count - 1);
      return;
    }
    void this.goTo((this.at.value + by + found.count) % found.count);
  }

  /** Goes to the hit of a number. */
  async goTo(at: number) {
    const text = this.text.value;
    const page = Math.floor(at / PAGE);
    let hits = this.pages.get(page);
    if (!hits) {
      hits = (await api.search(text, null, page * PAGE)).hits;
      if (this.text.peek() !== text) return;
      this.pages.set(page, hits);
    }
    const hit = hits[at - page * PAGE];
    if (!hit) return;
    this.at.value = at;
    this.board.jump(hit, { tab: scope.value.params.tab ?? "" });
  }
}
