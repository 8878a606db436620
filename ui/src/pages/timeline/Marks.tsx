// The marks: names, colours, and the way to them.

import { duration, time } from "../../format";
import { Icon } from "../../shell/Icon";
import { texts } from "../../texts";
import type { Board } from "./board";
import { MARK_COLOURS } from "./colours";
import { addMark, changeMark } from "./marks";
import { around } from "./view";

const t = texts({
  en: {
    none: "No marks. Press K to mark the selected area, the selected slice or the moment at the pointer. Marks are part of the link to this page.",
    add: "Add a mark (K)",
    name: "Name of the mark at {time}",
    colour: "Next color",
    go: "Go to",
    remove: "Remove {name}",
    moment: "moment",
  },
  zh: {
    none: "没有标记。按 K 可标记所选区域、所选切片或指针处的时刻。标记保存在此页面的链接中。",
    add: "添加标记（K）",
    name: "{time} 处标记的名称",
    colour: "下一个颜色",
    go: "转到",
    remove: "删除 {name}",
    moment: "时刻",
  },
});

export function Marks({ board }: { board: Board }) {
  const { marks } = board.kept.value;
  return (
    <div>
      <div class="toolbar">
        <button type="button" onClick={() => addMark(board)}>
          {t("add")}
        </button>
      </div>
      {marks.length === 0 && <p class="state">{t("none")}</p>}
      <ul class="marks">
        {marks.map((mark, at) => (
          <li key={at}>
            <button
              type="button"
              class="swatch"
              style={{ background: `var(--mark-${mark.colour % MARK_COLOURS})` }}
              title={t("colour")}
              aria-label={t("colour")}
              onClick={() => changeMark(board, at, { colour: (mark.colour + 1) % MARK_COLOURS })}
            />
            <input
              type="text"
              value={mark.name}
              aria-label={t("name", { time: time(mark.begin) })}
              onChange={(event) => changeMark(board, at, { name: event.currentTarget.value })}
            />
            <span class="hint">
              {time(mark.begin)} · {mark.end === null ? t("moment") : duration(mark.end - mark.begin)}
            </span>
            <button
              type="button"
              onClick={() => board.show(around({ begin: mark.begin, end: mark.end ?? mark.begin }, board.whole.value))}
            >
              {t("go")}
            </button>
            <button
              type="button"
              class="quiet"
              title={t("remove", { name: mark.name })}
              aria-label={t("remove", { name: mark.name })}
              onClick={() => changeMark(board, at, null)}
            >
              <Icon name="close" size={12} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
