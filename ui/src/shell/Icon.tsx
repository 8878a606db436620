// The icons, drawn with lines on a 16 by 16 field. They say nothing by themselves: a text is always next to them.

const PATHS = {
  overview: "M2 13V8M6 13V3M10 13V6M14 13V10",
  timeline: "M1.5 4h6M5 8h8M3 12h5M11 12h3",
  operators: "M2 2.5h5v5H2zM9 2.5h5v5H9zM2 9.5h5v4H2zM9 9.5h5v4H9z",
  memory: "M3 4h10v8H3zM5.5 4V2M8 4V2M10.5 4V2M5.5 14v-2M8 14v-2M10.5 14v-2",
  communication: "M2 5h11M10 2l3 3-3 3M14 11H3M6 8l-3 3 3 3",
  cluster: "M8 2.5a1.5 1.5 0 1 0 .01 0M3.5 10.5a1.5 1.5 0 1 0 .01 0M12.5 10.5a1.5 1.5 0 1 0 .01 0M7 5.3 4.5 10.3M9 5.3l2.5 5M5.2 12h5.6",
  rl: "M13 8a5 5 0 1 1-1.6-3.7M13.5 2v3.2h-3.2M6.5 6v4l3.5-2z",
  query: "M3 4c0-1 2.2-1.7 5-1.7S13 3 13 4s-2.2 1.7-5 1.7S3 5 3 4zM3 4v8c0 1 2.2 1.7 5 1.7s5-.7 5-1.7V4M3 8c0 1 2.2 1.7 5 1.7S13 9 13 8",
  report: "M4 1.8h5.5L12.5 5v9.2H4zM9.5 1.8V5h3M6 8h4.5M6 10.8h4.5",
  health: "M1.8 4.2v8.6h12.4V5.6H8L6.5 4.2zM5 9.5h1.4l1-2 1.4 3.6.9-1.6h1.5",
  search: "M7 2.5a4.5 4.5 0 1 0 .01 0M10.3 10.3 14 14",
  help: "M8 1.8a6.2 6.2 0 1 0 .01 0M6.2 6.2a1.9 1.9 0 1 1 2.6 1.9c-.6.3-.8.6-.8 1.4M8 11.6v.2",
  theme: "M8 1.8a6.2 6.2 0 1 0 .01 0M8 1.8v12.4M9.5 4.5h2.6M9.5 8h4.5M9.5 11.5h2.6",
  language: "M8 1.8a6.2 6.2 0 1 0 .01 0M2 8h12M8 1.8c-4 4-4 8.4 0 12.4M8 1.8c4 4 4 8.4 0 12.4",
  filter: "M2 3h12L9.5 8.5V13l-3-1.5v-3z",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  download: "M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11",
  close: "M4 4l8 8M12 4l-8 8",
  critical: "M8 1.8 14.5 13.5h-13zM8 6v3.6M8 11.3v.2",
  warning: "M8 1.8a6.2 6.2 0 1 0 .01 0M8 4.8v4M8 11v.2",
  info: "M8 1.8a6.2 6.2 0 1 0 .01 0M8 7.5v4M8 5v.2",
  good: "M8 1.8a6.2 6.2 0 1 0 .01 0M5 8.2l2.2 2.2L11.2 6",
  arrow: "M3 8h10M9 4l4 4-4 4",
  play: "M4.5 2.5v11l8.5-5.5z",
  time: "M8 1.8a6.2 6.2 0 1 0 .01 0M8 4.5V8l2.5 1.8",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
