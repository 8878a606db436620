// Why nothing ran: the cause of a gap, with the slices that show it.

import { api } from "../../api/client";
import { Loaded } from "../../components/Loaded";
import { duration, time } from "../../format";
import { scope } from "../../scope";
import { texts } from "../../texts";
import type { Board } from "./board";
import { JumpButton } from "./Details";
import { fitted } from "./view";

const t = texts({
  en: {
    none: "Point at an empty stretch of a lane and press E, or right-click it: what the rank waited for is told here.",
    what: "the gap",
    title: "{length} with nothing on {lane} of rank {rank}, from {begin}",
    fit: "Show it",
    host_busy: "The host was busy: it had not launched the next work yet.",
    host_sync: "The host waited for the device (a synchronizing call) and could not launch work ahead.",
    data: "The host was waiting for data: the data loader was too slow.",
    gc: "Python collected garbage; nothing was launched meanwhile.",
    queue_empty: "The queue to the device was empty: work is launched more slowly than it runs.",
    waiting_for_rank: "What comes next is a collective: the rank waited for another rank that was late.",
    waiting_for_stream: "What comes next was launched in time, but had to wait for work of another stream.",
    is_last: "came last",
    is_cause: "shows it",
    is_next: "came next",
    start: "Nothing had been launched yet: this is before the first work of the rank.",
    end: "Nothing was left to do: this is after the last work of the rank.",
    unknown: "The profile does not say why.",
    rank: "rank {rank}",
  },
  zh: {
    none: "将指针移到泳道的空白处按 E，或右键点击：此处说明该 rank 在等待什么。",
    what: "空隙",
    title: "rank {rank} 的 {lane} 自 {begin} 起空闲 {length}",
    fit: "查看",
    host_busy: "主机繁忙：尚未下发下一个任务。",
    host_sync: "主机在等待设备（同步调用），无法提前下发任务。",
    data: "主机在等待数据：数据加载过慢。",
    gc: "Python 正在进行垃圾回收，期间没有下发任务。",
    queue_empty: "到设备的队列为空：任务下发慢于执行。",
    waiting_for_rank: "接下来是集合通信：该 rank 在等待另一个迟到的 rank。",
    waiting_for_stream: "接下来的任务已及时下发，但须等待另一条流上的任务。",
    is_last: "最后到达",
    is_cause: "可见于",
    is_next: "随后",
    start: "尚未下发任何任务：这是该 rank 首个任务之前。",
    end: "已无任务：这是该 rank 最后一个任务之后。",
    unknown: "profile 未说明原因。",
    rank: "rank {rank}",
  },
});

const CAUSES = [
  "host_busy",
  "host_sync",
  "data",
  "gc",
  "queue_empty",
  "waiting_for_rank",
  "waiting_for_stream",
  "start",
  "end",
  "unknown",
] as const;
const PLACES = { last: "is_last", cause: "is_cause", next: "is_next" } as const;

/** What a place has to do with the gap. */
function whatOf(place: string): string {
  const key = PLACES[place as keyof typeof PLACES];
  return key ? t(key) : place;
}

export function Gap({ board }: { board: Board }) {
  const asked = scope.value.params.gap ?? "";
  const [rank, lane, at] = asked.split(",").map(Number);
  if (asked === "" || rank === undefined || lane === undefined || at === undefined) return <p class="state">{t("none")}</p>;
  board.opened.value;
  const name = board.rank(rank).timeline.lanes.find((other) => other.id === lane)?.name ?? String(lane);
  return (
    <Loaded load={() => api.gap(rank, at, lane)} of={[asked]} what={t("what")}>
      {(gap) => (
        <div class="gap">
          <h2>{t("title", { length: duration(gap.end - gap.begin), lane: name, rank, begin: time(gap.begin) })}</h2>
          <p>
            {t(CAUSES.find((cause) => cause === gap.cause) ?? "unknown")}{" "}
            <button type="button" onClick={() => board.show(fitted(board.moved(gap, rank), board.whole.value))}>
              {t("fit")}
            </button>
          </p>
          <ul class="flows">
            {gap.places.map((place) => (
              <li key={`${place.rank}/${place.slice}/${place.what}`}>
                <span class="chip">{whatOf(place.what)}</span>{" "}
                <JumpButton board={board} to={place}>
                  {place.name}
                </JumpButton>{" "}
                <span class="hint">
                  {t("rank", { rank: place.rank })} · {duration(place.end - place.begin)}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Loaded>
  );
}
