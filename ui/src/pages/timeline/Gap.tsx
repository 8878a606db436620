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
    none: "Point at a gap on a lane and press E, or right-click it, to see what the rank waited for.",
    what: "the gap",
    title: "{lane} of rank {rank} is idle for {length} from {begin}",
    fit: "Zoom to gap",
    host_busy: "The host was busy and had not launched the next task yet.",
    host_sync: "The host waited for the device in a synchronizing call and could not launch tasks ahead.",
    data: "The host waited for input data: the data loader was too slow.",
    gc: "Python ran garbage collection, and no task was launched meanwhile.",
    queue_empty: "The device queue was empty: tasks are launched more slowly than they run.",
    waiting_for_rank: "The next task is a collective: the rank waited for another rank that was late.",
    waiting_for_stream: "The next task was launched in time, but waited for a task on another stream.",
    is_last: "arrived last",
    is_cause: "cause",
    is_next: "next",
    start: "No task had been launched yet: this is before the first task of the rank.",
    end: "No task was left: this is after the last task of the rank.",
    unknown: "The profile does not show the cause.",
    rank: "rank {rank}",
  },
  zh: {
    none: "将指针移到泳道的间隙处并按 E，或右键单击间隙，可查看该 rank 在等待什么。",
    what: "间隙",
    title: "rank {rank} 的{lane}从 {begin} 起空闲 {length}",
    fit: "缩放至间隙",
    host_busy: "主机繁忙，尚未下发下一个任务。",
    host_sync: "主机在同步调用中等待设备，无法提前下发任务。",
    data: "主机在等待输入数据：数据加载过慢。",
    gc: "Python 正在进行垃圾回收，期间没有下发任务。",
    queue_empty: "设备队列为空：任务的下发慢于执行。",
    waiting_for_rank: "下一个任务是集合通信：该 rank 在等待另一个迟到的 rank。",
    waiting_for_stream: "下一个任务已及时下发，但需等待另一条流上的任务。",
    is_last: "最后到达",
    is_cause: "原因",
    is_next: "下一个",
    start: "尚未下发任何任务：此处早于该 rank 的第一个任务。",
    end: "已没有任务：此处晚于该 rank 的最后一个任务。",
    unknown: "profile 中的数据不足以确定原因。",
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
