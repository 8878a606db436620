// Allocations one by one, the largest first.

import { Card } from "../../components/Card";
import { columns, placeOf } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { choose, chosenNumber, param } from "../../components/params";
import { Viewed } from "../../components/Viewed";
import { count, time } from "../../format";
import { texts } from "../../texts";

const t = texts({
  en: {
    title: "Allocations, largest first",
    what: "allocations",
    only: "Only {name}",
    clear: "All names",
    alive: "Only allocations alive at {time}",
    hint: "At most {count} rows of the ranks, step and time range above. Click a start to see it on the timeline.",
  },
  zh: {
    title: "分配记录（从大到小）",
    what: "分配记录",
    only: "仅 {name}",
    clear: "所有名称",
    alive: "仅显示 {time} 时未释放的分配",
    hint: "最多 {count} 行，限于上方的 rank、step 和时间范围。单击开始时间可跳到时间线。",
  },
});

/** Allocations that are fetched. */
const MOST = 10_000;

export function Allocations() {
  const at = chosenNumber("at");
  const isAlive = at !== null && param("alive") === "1";
  return (
    <Card
      title={t("title")}
      tools={
        <>
          {param("name") !== "" && (
            <>
              <span class="chip">{t("only", { name: param("name") })}</span>
              <button type="button" onClick={() => choose({ name: null })}>
                {t("clear")}
              </button>
            </>
          )}
          {at !== null && (
            <label class="check">
              <input type="checkbox" checked={isAlive} onChange={() => choose({ alive: isAlive ? null : "1" })} />
              {t("alive", { time: time(at) })}
            </label>
          )}
        </>
      }
    >
      <p class="hint">{t("hint", { count: count(MOST) })}</p>
      <Viewed view="allocations" own={{ name: param("name"), limit: MOST, at: isAlive ? at : null }} what={t("what")}>
        {(table) => (
          <DataTable
            table={table}
            name="allocations"
            columns={columns(
              [
                "start", "rank", "name", "bytes", "release", "duration", "active_release", "active_duration", "start_allocated",
                "start_reserved", "stream_ptr",
              ],
              { start: { link: placeOf }, name: { width: 260 }, bytes: { term: "allocation_bytes" } },
            )}
          />
        )}
      </Viewed>
    </Card>
  );
}
