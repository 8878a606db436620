// How fast links were, and how large the packets on them.

import type { Table } from "../../api/table";
import { BarChart } from "../../components/BarChart";
import { Card } from "../../components/Card";
import { columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { Histogram } from "../../components/Histogram";
import { choose, param } from "../../components/params";
import { Select } from "../../components/Select";
import { Viewed } from "../../components/Viewed";
import { bytes, count, number, share } from "../../format";
import { Icon } from "../../shell/Icon";
import { listed, texts } from "../../texts";
import { linkUses, packetCounts, referenceOf, SMALL_SHARE, smallPacket, smallShares } from "./traffic";

const t = texts({
  en: {
    bandwidth: "Bandwidth by link or transport",
    what: "bandwidth",
    caption: "The mark is the reference bandwidth, typical of a healthy link ({references}). Transfers over HCCS, PCIe and SIO also count as SDMA.",
    of: "{bandwidth} GB/s, reference {reference} GB/s",
    plain: "{bandwidth} GB/s",
    slow: "{link} reaches {share} of {reference} GB/s; rank {rank} is slowest at {bandwidth} GB/s.",
    packets: "Packet sizes",
    packetWhat: "packets",
    link: "Link or transport",
    small: "{link}: {share} of {count} packets are smaller than {size} (limit: {limit}), so the bandwidth is not well used. Send more data at once: larger buckets, fewer and larger collectives. {large}",
    fine: "No link has more than {limit} small packets: below {size}, or below {rdma} over RDMA. {large}",
    large: "(The column Large packet share counts packets above 32 MB, or above 0.5 MB over RDMA.)",
    histogram: "Packet sizes on {link}",
  },
  zh: {
    bandwidth: "各链路或传输方式的带宽",
    what: "带宽",
    caption: "竖线处为参考带宽，即正常链路的典型带宽（{references}）。经 HCCS、PCIe 和 SIO 的传输同时计入 SDMA。",
    of: "{bandwidth} GB/s，参考 {reference} GB/s",
    plain: "{bandwidth} GB/s",
    slow: "{link} 仅达到 {reference} GB/s 的 {share}；rank {rank} 最慢，为 {bandwidth} GB/s。",
    packets: "包大小分布",
    packetWhat: "包",
    link: "链路或传输方式",
    small: "{link}：{count} 个包中有 {share} 小于 {size}（上限 {limit}），带宽利用率低。建议一次发送更多数据：增大 bucket，减少集合通信次数并增大单次数据量。{large}",
    fine: "各链路的小包占比均不超过 {limit}（小包指小于 {size} 的包；RDMA 为小于 {rdma}）。{large}",
    large: "（“大包占比”列统计大于 32 MB 的包，RDMA 为大于 0.5 MB。）",
    histogram: "{link} 的包大小分布",
  },
});

/** A link below this share of its reference is reported. */
const SLOW = 0.8;

const LIMIT = `${SMALL_SHARE * 100} %`;

export function Links() {
  return (
    <>
      <Card title={t("bandwidth")}>
        <Viewed view="bandwidth" what={t("what")}>
          {(table) => <Bandwidth table={table} />}
        </Viewed>
      </Card>
      <Card title={t("packets")}>
        <Viewed view="packets" what={t("packetWhat")}>
          {(table) => <Packets table={table} />}
        </Viewed>
      </Card>
    </>
  );
}

function Bandwidth({ table }: { table: Table }) {
  const uses = linkUses(table);
  const bars = uses.map(({ link, bandwidth }) => {
    const reference = referenceOf(link);
    const text =
      reference === null ? t("plain", { bandwidth: number(bandwidth) }) : t("of", { bandwidth: number(bandwidth), reference });
    return { key: link, name: link, value: bandwidth, text, reference: reference ?? undefined };
  });
  const references = bars.filter(({ reference }) => reference !== undefined).map(({ name, reference }) => `${name} ${reference} GB/s`);
  return (
    <>
      <BarChart label={t("bandwidth")} caption={references.length === 0 ? undefined : t("caption", { references: listed(references) })} bars={bars} format={number} />
      {uses.map(({ link, bandwidth, slowest }) => {
        const reference = referenceOf(link);
        if (reference === null || !slowest || bandwidth >= SLOW * reference) return null;
        const values = { link, share: share(bandwidth / reference), reference, rank: slowest.rank, bandwidth: number(slowest.bandwidth) };
        return <Advice key={link} text={t("slow", values)} />;
      })}
      <DataTable
        table={table}
        name="bandwidth"
        columns={columns(["rank", "link", "bytes", "time", "bandwidth", "large_packet_share"], { link: { label: t("link") }, bytes: { term: "bytes_moved" }, time: { kind: "duration", term: "transit" } })}
        sort={{ name: "bandwidth", isDescending: false }}
        height={300}
      />
    </>
  );
}

function Packets({ table }: { table: Table }) {
  const shares = smallShares(table).filter(({ packets }) => packets > 0);
  const link = shares.find(({ link }) => link === param("link"))?.link ?? shares[0]?.link ?? "";
  const small = shares.filter(({ share }) => share > SMALL_SHARE);
  const counts = packetCounts(table, link);
  return (
    <>
      {small.map((one) => (
        <Advice
          key={one.link}
          text={t("small", { link: one.link, share: share(one.share), count: count(one.packets), size: smallPacket(one.link).name, limit: LIMIT, large: t("large") })}
        />
      ))}
      {small.length === 0 && shares.length > 0 && <p>{t("fine", { limit: LIMIT, size: smallPacket("HCCS").name, rdma: smallPacket("RDMA").name, large: t("large") })}</p>}
      <div class="toolbar">
        <Select
          label={t("link")}
          value={link}
          options={shares.map(({ link }) => ({ value: link, label: link }))}
          onChange={(link) => choose({ link })}
        />
      </div>
      {counts.length > 0 && (
        <Histogram
          label={t("histogram", { link })}
          buckets={counts.map(({ power, count }) => ({ name: `${bytes(2 ** power)} – ${bytes(2 ** (power + 1))}`, count }))}
          edges={[...counts.map(({ power }) => bytes(2 ** power)), bytes(2 ** (counts.at(-1)!.power + 1))]}
          what={t("packetWhat")}
        />
      )}
      <DataTable
        table={table}
        name="packets"
        columns={columns(["rank", "link", "packet_bytes", "count", "time", "bytes"], { link: { label: t("link") }, bytes: { term: "bytes_moved" }, time: { kind: "duration", term: "transit" } })}
        sort={{ name: "count", isDescending: true }}
        height={300}
      />
    </>
  );
}

function Advice({ text }: { text: string }) {
  return (
    <p role="note">
      <Icon name="warning" /> {text}
    </p>
  );
}
