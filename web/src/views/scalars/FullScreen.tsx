// In: the card that the address names as "full". Out: it over the whole window, with a table of its lines beneath the chart.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Chart } from "../../chart/Chart";
import { cursor, tip } from "../../chart/cursor";
import { view } from "../../data/address";
import { openCheckpoint } from "../../data/open";
import { focusRun } from "../../data/runs";
import { Dialog } from "../../widgets/Dialog";
import { IconButton } from "../../widgets/Icon";
import { Badge } from "./Badge";
import { CardMenu } from "./CardMenu";
import type { Card } from "./cards";
import { LineTable } from "./LineTable";
import { runOfKey } from "./lines";
import { full, setZoom, xAxis } from "./options";
import { extraOf, useCardScene } from "./ScalarCard";

export function FullScreen({ card }: { card: Card }) {
  const area = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 800, height: 400 });
  useLayoutEffect(() => {
    const e = area.current!;
    const watch = new ResizeObserver(() => setSize({ width: e.clientWidth, height: e.clientHeight }));
    watch.observe(e);
    setSize({ width: e.clientWidth, height: e.clientHeight });
    return () => watch.disconnect();
  }, []);
  const { state, series, scene, zoom } = useCardScene(card, size.width, true, true, size.height);
  const focus = focusRun.value;
  const close = () => {
    tip.value = null;
    cursor.value = null;
    full.value = "";
  };
  return (
    <Dialog title={card.title} full onClose={close}
      actions={<>{(zoom.x || zoom.y) && <IconButton name="fit" label="Reset zoom (double-click)" onClick={() => setZoom(card.key, null, null)} />}<CardMenu card={card} scene={scene} series={series} /></>}>
      <div class="full-chart" ref={area}>
        <Chart scene={scene} width={size.width} height={size.height} axis={xAxis.value} labelled wheelZooms
          focus={focus ? (scene.lines.find((l) => runOfKey(l.key) === focus)?.key ?? null) : null}
          onFocus={(k) => { const run = k ? runOfKey(k) : null; if (focusRun.peek() !== run) focusRun.value = run; }}
          onZoom={(x, y) => setZoom(card.key, x, y)} onMark={(id) => { close(); openCheckpoint(id, view); }} extra={extraOf(series)} />
      </div>
      <LineTable scene={scene} series={series} />
      <footer class="card-foot"><Badge series={series} loading={state.loading} error={state.error} /></footer>
    </Dialog>
  );
}
