// Small PNG files: 256 colours by median cut, as a palette.
import { deflateSync } from "node:zlib";

// The sum that ends every chunk; Node 18 has none of its own.
const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; ++k) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});
function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = table[(sum ^ byte) & 255] ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

function chunk(type, data) {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(body));
  return Buffer.concat([head, body, tail]);
}

// Colours with how often they are met, in cells of three low bits each.
function histogram(rgba) {
  const cells = new Map();
  for (let i = 0; i < rgba.length; i += 4) {
    const key = ((rgba[i] >> 2) << 12) | ((rgba[i + 1] >> 2) << 6) | (rgba[i + 2] >> 2);
    const cell = cells.get(key) ?? { key, count: 0, sum: [0, 0, 0] };
    ++cell.count;
    for (let k = 0; k < 3; ++k) cell.sum[k] += rgba[i + k];
    cells.set(key, cell);
  }
  return [...cells.values()].map((cell) => ({ ...cell, mean: cell.sum.map((sum) => sum / cell.count) }));
}

const spread = (box, k) => {
  const values = box.map((cell) => cell.mean[k]);
  return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
};
// Rare colours count less, but not by their number alone: small things are seen too.
const weight = (cell) => Math.sqrt(cell.count);
const worth = (box) =>
  box.length < 2
    ? 0
    : Math.max(spread(box, 0), spread(box, 1), spread(box, 2)) *
      Math.sqrt(box.reduce((sum, cell) => sum + weight(cell), 0));

function cut(box) {
  const k = [0, 1, 2].reduce((a, b) => (spread(box, b) > spread(box, a) ? b : a));
  box.sort((a, b) => a.mean[k] - b.mean[k]);
  const half = box.reduce((sum, cell) => sum + weight(cell), 0) / 2;
  let sum = 0;
  const at = box.findIndex((cell) => (sum += weight(cell)) >= half);
  const middle = Math.min(box.length - 1, Math.max(1, at));
  return [box.slice(0, middle), box.slice(middle)];
}

export function smallPng(rgba, width, height, colours = 256) {
  const boxes = [{ cells: histogram(rgba), worth: Infinity }];
  while (boxes.length < colours) {
    boxes.sort((a, b) => a.worth - b.worth);
    if (boxes[boxes.length - 1].worth === 0) break;
    for (const cells of cut(boxes.pop().cells)) boxes.push({ cells, worth: worth(cells) });
  }
  const index = new Map();
  const palette = Buffer.alloc(3 * boxes.length);
  boxes.forEach(({ cells }, i) => {
    const count = cells.reduce((sum, cell) => sum + cell.count, 0);
    for (let k = 0; k < 3; ++k)
      palette[3 * i + k] = Math.round(cells.reduce((sum, cell) => sum + cell.sum[k], 0) / count);
    for (const cell of cells) index.set(cell.key, i);
  });
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0, i = 0; y < height; ++y)
    for (let x = 0; x < width; ++x, i += 4)
      rows[y * (width + 1) + 1 + x] = index.get(
        ((rgba[i] >> 2) << 12) | ((rgba[i + 1] >> 2) << 6) | (rgba[i + 2] >> 2),
      );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
