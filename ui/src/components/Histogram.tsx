// How many values fall into each stretch: as a chart, and as a small picture in a table.

import type { ComponentChildren } from "preact";
import { count as formatted } from "../format";
import { colon, listed } from "../texts";
import "./charts.css";

export interface Bucket {
  /** What the bucket holds, in words. */
  name: string;
  count: number;
}

interface Props {
  label: string;
  caption?: ComponentChildren;
  buckets: Bucket[];
  /** Names of the ends of the buckets, one more than there are buckets. */
  edges: string[];
  /** What is counted; shown after the number. */
  what: string;
}

const HEIGHT = 120;

export function Histogram({ label, caption, buckets, edges, what }: Props) {
  const most = Math.max(...buckets.map((bucket) => bucket.count), 1);
  const each = 100 / Math.max(buckets.length, 1);
  const every = Math.ceil(edges.length / 9);
  return (
    <figure class="chart" aria-label={label}>
      {caption && <figcaption>{caption}</figcaption>}
      <svg class="histogram" height={HEIGHT + 18} role="img" aria-label={`${label}${colon()}${listed(buckets.map((bucket) => `${bucket.name} ${formatted(bucket.count)}`))}`}>
        {buckets.map((bucket, at) => {
          const tall = bucket.count > 0 ? Math.max(1, (bucket.count / most) * (HEIGHT - 14)) : 0;
          return (
            <g key={bucket.name}>
              <title>{`${bucket.name}${colon()}${formatted(bucket.count)} ${what}`}</title>
              <rect x={`${at * each}%`} y={0} width={`${each}%`} height={HEIGHT} style={{ fill: "transparent" }} />
              <rect x={`${at * each + each * 0.06}%`} y={HEIGHT - tall} width={`${each * 0.88}%`} height={tall} />
              {bucket.count > 0 && buckets.length <= 24 && (
                <text x={`${(at + 0.5) * each}%`} y={HEIGHT - tall - 3} text-anchor="middle">
                  {formatted(bucket.count)}
                </text>
              )}
            </g>
          );
        })}
        <line x1="0" x2="100%" y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} stroke="var(--line)" />
        {edges.map((edge, at) =>
          at % every === 0 ? (
            <text key={at} x={`${at * each}%`} y={HEIGHT + 14} text-anchor={at === 0 ? "start" : at === edges.length - 1 ? "end" : "middle"}>
              {edge}
            </text>
          ) : null,
        )}
      </svg>
    </figure>
  );
}

/** A histogram the size of a word. */
export function Spark({ counts, label }: { counts: ArrayLike<number>; label: string }) {
  const most = Math.max(...Array.from(counts, Number), 1);
  return (
    <svg class="spark" viewBox={`0 0 ${counts.length * 5} 16`} preserveAspectRatio="none" role="img" aria-label={label}>
      {Array.from(counts, (value, at) => {
        const tall = Number(value) > 0 ? Math.max(1.5, (Number(value) / most) * 16) : 0;
        return <rect key={at} x={at * 5} y={16 - tall} width={4} height={tall} />;
      })}
    </svg>
  );
}
