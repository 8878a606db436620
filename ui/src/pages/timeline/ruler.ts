// Draws the ruler: ticks of time and, below them, steps.

import { duration } from "../../format";
import { texts } from "../../texts";
import { RULER_HEIGHT, TICKS_HEIGHT } from "./layout";
import type { Scene } from "./scene";
import { ticksOf } from "./view";

const t = texts({ en: { step: "step {step}" }, zh: { step: "step {step}" } });

const TICK_PIXELS = 110;

/** Draws the ruler and the lines of its ticks down to `height`. */
export function drawTicks(context: CanvasRenderingContext2D, scene: Scene) {
  const { view, width, height, palette } = scene;
  const perPixel = (view.end - view.begin) / width;
  const { ticks } = ticksOf(view, perPixel * TICK_PIXELS);
  context.fillStyle = palette.theme.line;
  context.globalAlpha = 0.55;
  for (const { time } of ticks)
    context.fillRect(Math.round((time - view.begin) / perPixel), RULER_HEIGHT, 1, height - RULER_HEIGHT);
  context.globalAlpha = 1;
}

export function drawRuler(context: CanvasRenderingContext2D, scene: Scene) {
  const { view, width, palette, steps } = scene;
  const { theme } = palette;
  const perPixel = (view.end - view.begin) / width;
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, width, RULER_HEIGHT);
  context.textBaseline = "middle";
  context.font = "11px system-ui, sans-serif";
  const { base, ticks } = ticksOf(view, perPixel * TICK_PIXELS);
  let from = 4;
  if (base !== null) {
    context.fillStyle = theme.ink;
    context.font = "600 11px system-ui, sans-serif";
    context.fillText(base, from, TICKS_HEIGHT / 2);
    from += context.measureText(base).width + 10;
    context.font = "11px system-ui, sans-serif";
  }
  for (const { time, label } of ticks) {
    const x = Math.round((time - view.begin) / perPixel);
    context.fillStyle = theme.line;
    context.fillRect(x, TICKS_HEIGHT - 8, 1, 8);
    if (x < from - 3 && base !== null) continue;
    context.fillStyle = theme.soft;
    context.fillText(label, x + 4, TICKS_HEIGHT / 2);
  }
  for (const step of steps) {
    const left = (step.begin - view.begin) / perPixel;
    const right = (step.end - view.begin) / perPixel;
    if (right < 0 || left > width) continue;
    const begin = Math.round(Math.max(left, -2));
    const end = Math.round(Math.min(right, width + 2));
    context.fillStyle = step.step % 2 === 0 ? theme.raised : theme.line;
    context.globalAlpha = step.step % 2 === 0 ? 1 : 0.6;
    context.fillRect(begin, TICKS_HEIGHT + 1, Math.max(end - begin, 1), RULER_HEIGHT - TICKS_HEIGHT - 3);
    context.globalAlpha = 1;
    context.fillStyle = theme.soft;
    context.fillRect(begin, TICKS_HEIGHT + 1, 1, RULER_HEIGHT - TICKS_HEIGHT - 3);
    drawStepName(context, step, Math.max(begin, 0), Math.min(end, width), theme.ink, theme.soft);
  }
  context.fillStyle = theme.line;
  context.fillRect(0, TICKS_HEIGHT, width, 1);
  context.fillRect(0, RULER_HEIGHT - 1, width, 1);
}

function drawStepName(
  context: CanvasRenderingContext2D,
  step: { step: number; begin: number; end: number },
  left: number,
  right: number,
  ink: string,
  soft: string,
) {
  const name = t("step", { step: step.step });
  const width = context.measureText(name).width;
  const y = (TICKS_HEIGHT + RULER_HEIGHT) / 2;
  if (right - left < width + 10) return;
  context.fillStyle = ink;
  context.fillText(name, left + 6, y);
  const length = duration(step.end - step.begin);
  if (right - left < width + context.measureText(length).width + 30) return;
  context.fillStyle = soft;
  context.fillText(length, left + width + 14, y);
}
