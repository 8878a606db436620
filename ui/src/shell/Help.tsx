// The keyboard shortcuts, and what terms mean.

import { texts } from "../texts";
import { Dialog } from "./Dialog";
import { Icon } from "./Icon";

const t = texts({
  en: {
    title: "Keyboard shortcuts",
    wheelKeys: "Ctrl + wheel",
    dragKeys: "Drag",
    boxKeys: "Alt + drag",
    grabKeys: "Ctrl + drag",
    close: "Close",
    everywhere: "Everywhere",
    palette: "go to a page, rank or step",
    search: "search slices",
    help: "this help",
    timeline: "Timeline",
    zoom: "zoom in, zoom out",
    pan: "move left, move right",
    wheel: "zoom at the pointer",
    drag: "select an area and get its statistics",
    box: "zoom to a time range",
    grab: "move the view",
    all: "show the whole profile",
    fit: "zoom to the selected slice",
    undo: "previous view, next view",
    goTo: "go to a time or step",
    escape: "clear the selection",
    range: "select the time range of the selected slice",
    slices: "previous slice, next slice on the lane",
    flows: "follow an arrow back, forward",
    hits: "next hit, previous hit of the search",
    mark: "add a mark",
    align: "align ranks by the start or end of the selected slice",
    gap: "explain the gap at the pointer",
    panel: "open or close the panel at the bottom",
    terms: "Terms",
    exposed: "exposed communication",
    exposedIs: "communication while no kernel computes: the time that a step loses to communication",
    free: "free",
    freeIs: "the device neither computes nor communicates",
  },
  zh: {
    title: "快捷键",
    wheelKeys: "Ctrl + 滚轮",
    dragKeys: "拖动",
    boxKeys: "Alt + 拖动",
    grabKeys: "Ctrl + 拖动",
    close: "关闭",
    everywhere: "所有页面",
    palette: "转到页面、rank 或 step",
    search: "搜索切片",
    help: "本帮助",
    timeline: "时间线",
    zoom: "放大、缩小",
    pan: "左移、右移",
    wheel: "以指针为中心缩放",
    drag: "框选区域并查看统计",
    box: "缩放至一段时间",
    grab: "平移",
    all: "显示整个 profile",
    fit: "缩放至所选切片",
    undo: "上一个范围、下一个范围",
    goTo: "转到时间或 step",
    escape: "清除选择",
    range: "选中所选切片的时间范围",
    slices: "泳道中的上一个、下一个切片",
    flows: "沿箭头向前、向后",
    hits: "下一个、上一个搜索结果",
    mark: "添加标记",
    align: "按所选切片的起点或终点对齐各 rank",
    gap: "解释指针处的间隙",
    panel: "打开或关闭底部面板",
    terms: "术语",
    exposed: "未掩盖通信",
    exposedIs: "没有计算与之重叠的通信：step 因通信损失的时间",
    free: "空闲",
    freeIs: "设备既不计算也不通信",
  },
});

const EVERYWHERE = [
  [["Ctrl K"], "palette"],
  [["/"], "search"],
  [["?"], "help"],
] as const;

const TIMELINE = [
  [["W", "S"], "zoom"],
  [["A", "D"], "pan"],
  [["wheelKeys"], "wheel"],
  [["dragKeys"], "drag"],
  [["boxKeys"], "box"],
  [["grabKeys"], "grab"],
  [["0"], "all"],
  [["F"], "fit"],
  [["⌫", "Shift ⌫"], "undo"],
  [["G"], "goTo"],
  [["Esc"], "escape"],
  [["M"], "range"],
  [[",", "."], "slices"],
  [["[", "]"], "flows"],
  [["N", "Shift N"], "hits"],
  [["K"], "mark"],
  [["L", "R"], "align"],
  [["E"], "gap"],
  [["Q"], "panel"],
] as const;

/** Keys with the pointer, whose names differ by language; other keys are as printed on the keyboard. */
const POINTER_KEYS = ["wheelKeys", "dragKeys", "boxKeys", "grabKeys"] as const;

function keyName(key: string): string {
  const pointer = POINTER_KEYS.find((other) => other === key);
  return pointer ? t(pointer) : key;
}

function Keys({ rows }: { rows: typeof EVERYWHERE | typeof TIMELINE }) {
  return (
    <dl class="keys">
      {rows.map(([keys, what]) => (
        <div key={what}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{keyName(key)}</kbd>
            ))}
          </dt>
          <dd>{t(what)}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label={t("title")} onClose={onClose}>
      <header>
        <h2>{t("title")}</h2>
        <button type="button" class="quiet" onClick={onClose} aria-label={t("close")}>
          <Icon name="close" />
        </button>
      </header>
      <div class="body help" tabIndex={0} role="region" aria-label={t("title")}>
        <h3>{t("everywhere")}</h3>
        <Keys rows={EVERYWHERE} />
        <h3>{t("timeline")}</h3>
        <Keys rows={TIMELINE} />
        <h3>{t("terms")}</h3>
        <dl class="numbers">
          <dt>{t("exposed")}</dt>
          <dd>{t("exposedIs")}</dd>
          <dt>{t("free")}</dt>
          <dd>{t("freeIs")}</dd>
        </dl>
      </div>
    </Dialog>
  );
}
