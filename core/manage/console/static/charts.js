// Charts of time that answer to the pointer: figures at the pointer, and a span to zoom to. Without it there are a drawing
// and its table. The figures come from the table, so that both say the same.
'use strict';
(() => {
  if (!window.uPlot) return;
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const make = (tag, set) => Object.assign(document.createElement(tag), set);

  // A canvas takes no light-dark() and no var(): an element resolves the colour in the theme that is shown.
  const probe = make('i', { hidden: true });
  document.body.append(probe);
  const colour = name => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color; };
  const charts = new Set();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach(c => c.root.isConnected ? c.redraw() : charts.delete(c)));

  function plot(figure) {
    const { start, step, kind, series } = JSON.parse(figure.dataset.plot);
    const svg = figure.querySelector(':scope > svg.chart'), table = figure.querySelector('table');
    if (!svg || !table || figure.querySelector('.uplot')) return;
    const xs = (series[0]?.values ?? []).map((_, i) => start + i * step);
    if (xs.length < 2) return;
    // Bars are stacked: each reaches from the zero line to the sum of those below it, and is drawn before them.
    const sums = kind === 'bars' ? series.map((_, n) => xs.map((_, i) => series.slice(0, n + 1).reduce((all, s) => all + Math.max(0, s.values[i] ?? 0), 0)))
      : series.map(s => s.values);
    const order = series.map((_, n) => n);
    if (kind === 'bars') order.reverse();
    const box = make('div', { className: 'canvas' }), shown = make('p', { className: 'hover quiet' }), tools = make('p', { className: 'hover', hidden: true });
    box.setAttribute('role', 'img');
    box.setAttribute('aria-label', svg.querySelector('title').textContent);
    box.setAttribute('aria-description', svg.querySelector('desc').textContent);
    shown.textContent = 'Point at the chart for figures; drag over a span to zoom.';
    const rows = [...table.tBodies[0].rows];
    let chart;

    function point(u) {
      const row = rows[u.cursor.idx ?? -1];
      if (!row) return;
      const values = series.map((s, n) => `${series.length > 1 ? s.name + ' ' : ''}${row.cells[n + 1].textContent}`);
      shown.textContent = `${row.cells[0].textContent}: ${values.join(', ')}`;
    }

    function select(u) {
      if (u.select.width < 4) return;
      const [from, to] = [u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')];
      const iso = s => new Date(Math.round(s) * 1000).toISOString();
      const reset = make('button', { type: 'button', className: 'button small', textContent: 'Reset zoom' });
      reset.addEventListener('click', () => {
        u.setScale('x', { min: xs[0] - pad, max: xs.at(-1) + pad });
        tools.hidden = true;
        delete figure.dataset.reading;
      });
      tools.replaceChildren(reset);
      if (figure.dataset.span) {
        const url = new URL(figure.dataset.span, location.href);
        const day = figure.dataset.days !== undefined;
        url.searchParams.set('from', day ? iso(from + step / 2).slice(0, 10) : iso(from));
        url.searchParams.set('to', day ? iso(to + step / 2).slice(0, 10) : iso(to));
        tools.append(' ', make('a', { href: url.pathname + url.search, textContent: day ? 'Show this span' : 'Requests of this span' }));
      }
      tools.hidden = false;
      figure.dataset.reading = ''; // a refresh of the page waits
    }

    const pad = kind === 'bars' ? step / 2 : 0;
    const timeZone = figure.dataset.days === undefined ? undefined : 'UTC'; // days are those of the sums
    const format = set => { const f = new Intl.DateTimeFormat('en-GB', { timeZone, ...set }); return s => f.format(new Date(s * 1000)); };
    const date = format({ day: 'numeric', month: 'short' }), time = format({ hour: '2-digit', minute: '2-digit' });
    const axis = { stroke: () => colour('--quiet'), grid: { stroke: () => colour('--line'), width: 1 }, ticks: { show: false }, font: `11px ${css('--font') || 'sans-serif'}` };
    svg.before(box);
    chart = new uPlot({
      width: Math.max(200, box.clientWidth), height: 176, legend: { show: false }, cursor: { y: false, points: { show: kind !== 'bars' } },
      scales: { x: { time: true, range: (u, min, max) => min === xs[0] && max === xs.at(-1) ? [min - pad, max + pad] : [min, max] }, y: { range: (u, min, max) => [Math.min(0, min), max || 1] } },
      ...(timeZone && { tzDate: s => uPlot.tzDate(new Date(s * 1000), timeZone) }),
      axes: [{ ...axis, values: (u, all, n, room, step) => all.map(s => step >= 86400 || time(s) === '00:00' ? date(s) : time(s)) }, { ...axis, size: 60, values: (u, all) => all.map(v => v >= 1000 ? `${+(v / 1000).toPrecision(3)}k` : `${+v.toPrecision(3)}`) }],
      series: [{}, ...order.map(n => {
        const own = () => colour(`--c${n % 6 + 1}`);
        return kind === 'bars' ? { label: series[n].name, fill: own, width: 0, paths: uPlot.paths.bars({ size: [0.8, 100] }), points: { show: false } }
          : { label: series[n].name, stroke: own, width: 1.75 };
      })],
      hooks: { setCursor: [point], setSelect: [select] },
    }, [xs, ...order.map(n => sums[n])], box);
    charts.add(chart);
    figure.dataset.drawn = '';
    box.after(shown, tools);
    new ResizeObserver(() => { if (box.clientWidth > 0) chart.setSize({ width: box.clientWidth, height: 176 }); }).observe(box);
  }

  const plotAll = root => root.querySelectorAll('figure[data-plot]').forEach(plot);
  document.addEventListener('fresh', e => plotAll(e.target));
  plotAll(document);
})();
