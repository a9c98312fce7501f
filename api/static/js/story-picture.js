/** The story of an evening as a picture to send. */
import { day, t, textOf } from "./i18n.js";
import { gameOf } from "./games.js";
import { playersLine, resultLine } from "./nights.js";
import { scoreLines, storyOf } from "./story.js";

const WIDTH = 1080;
const HEIGHT = 1350;
const MARGIN = 72;
const INNER = WIDTH - 2 * MARGIN;
const PAPER = "#f9f2e3";
const INK = "#241a15";
const SOFT = "#66564a";
const RED = "#8c1424";
const GOLD = "#c9973a";
const LINES = ["#a3182c", "#1d5fa8", "#23704f", "#a06400", "#6f3f9c", "#3c3c3c"];
const FAN = ["pine-crane", "susuki-moon", "cherry-curtain"];
const CARD = { width: 104, height: 170 };
const MAX_GAMES = 3;
const CHART_HEIGHT = 380;
const MIN_TEXT = 24;

/** Write a line of text that becomes smaller until it fits. @returns {number} its height */
function write(ctx, text, x, y, { size, color = INK, weight = 400, width = INNER, family = "serif", align = "left" }) {
  const font = (pixels) => `${weight} ${pixels}px ${getComputedStyle(document.documentElement).getPropertyValue(`--${family}`)}`;
  let pixels = size;
  ctx.font = font(pixels);
  while (ctx.measureText(text).width > width && pixels > MIN_TEXT) ctx.font = font((pixels -= 2));
  ctx.fillStyle = color;
  ctx.textAlign = align;
  ctx.textBaseline = "top";
  ctx.fillText(text, x, y, width);
  return pixels * 1.4;
}

function drawLines(ctx, lines, top) {
  const values = lines.flatMap((line) => line.values);
  const [low, high] = [Math.min(...values), Math.max(...values, 1)];
  const xOf = (n) => MARGIN + (INNER * n) / Math.max(lines[0].values.length - 1, 1);
  const yOf = (value) => top + CHART_HEIGHT - (CHART_HEIGHT * (value - low)) / (high - low);
  ctx.strokeStyle = "#ddceb3";
  ctx.lineWidth = 2;
  for (const value of [low, high]) {
    ctx.beginPath();
    ctx.moveTo(MARGIN, yOf(value));
    ctx.lineTo(WIDTH - MARGIN, yOf(value));
    ctx.stroke();
    write(ctx, String(value), MARGIN - 10, yOf(value) - 14, { size: 26, color: SOFT, family: "sans", width: MARGIN - 14, align: "right" });
  }
  ctx.lineWidth = 7;
  ctx.lineJoin = ctx.lineCap = "round";
  lines.forEach(({ values: points }, n) => {
    ctx.strokeStyle = LINES[n % LINES.length];
    ctx.beginPath();
    points.forEach((value, round) => ctx.lineTo(xOf(round), yOf(value)));
    ctx.stroke();
  });
}

/** The names of a chart's lines, in their colors. @returns {number} the height */
function drawNames(ctx, lines, top) {
  const width = INNER / lines.length;
  lines.forEach(({ name, values }, n) => write(ctx, `${name} ${values.at(-1)}`, MARGIN + width * n, top, { size: 36, color: LINES[n % LINES.length], weight: 650, width: width - 16, family: "sans" }));
  return 60;
}

const loaded = (id) =>
  new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => resolve(null); // the picture is complete without the cards
    image.src = `/faces/${id}.svg`;
  });

/** Draw the story of an evening. @param {Object} night @returns {Promise<HTMLCanvasElement>} */
export async function drawStory(night) {
  const cards = (await Promise.all(FAN.map(loaded))).filter(Boolean);
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEIGHT });
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = PAPER;
  ctx.fillRect(0, 0, WIDTH, HEIGHT);
  ctx.fillStyle = RED;
  ctx.fillRect(0, 0, WIDTH, 232);
  ctx.fillStyle = GOLD;
  ctx.fillRect(0, 232, WIDTH, 8);
  cards.forEach((card, n) => ctx.drawImage(card, WIDTH - MARGIN - CARD.width * (cards.length - n) * 0.92, 32, CARD.width, CARD.height));
  const beside = INNER - CARD.width * 0.92 * cards.length - 24;
  write(ctx, day(night.began), MARGIN, 52, { size: 34, color: "#f5dfb0", width: beside, family: "sans" });
  write(ctx, night.name ?? playersLine(night), MARGIN, 108, { size: 60, color: "#fff4e4", weight: 600, width: beside });

  const played = night.games.filter((game) => game.played > 0);
  const { best, turn } = storyOf(night);
  const game = turn?.game ?? played.findLast(({ rounds }) => rounds.length > 1);
  let y = 276;
  for (const each of played.slice(-MAX_GAMES)) {
    y += write(ctx, resultLine(each), MARGIN, y, { size: 52, color: RED, weight: 600 });
    y += write(ctx, textOf(gameOf(each.game).names), MARGIN, y - 6, { size: 28, color: SOFT, family: "sans" });
  }
  const notes = [best && [t("night-best"), best.text], turn && [t("night-turn"), turn.text]].filter(Boolean);
  if (game) {
    const lines = scoreLines(game);
    const top = Math.max(y + 12, HEIGHT - 90 - 118 * notes.length - CHART_HEIGHT - 84);
    drawLines(ctx, lines, top);
    y = top + CHART_HEIGHT + 18;
    y += drawNames(ctx, lines, y);
  }
  for (const [title, text] of notes) {
    y += write(ctx, title, MARGIN, y + 6, { size: 28, color: SOFT, family: "sans" });
    y += write(ctx, text, MARGIN, y, { size: 38, weight: 600, family: "sans" }) + 12;
  }
  write(ctx, t("app-name"), WIDTH / 2, HEIGHT - 60, { size: 28, color: SOFT, align: "center" });
  return canvas;
}

/** Share the story of an evening as a picture, or download it where the browser cannot share files. @param {Object} night */
export async function shareStory(night) {
  const canvas = await drawStory(night);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  const file = new File([blob], `hanafuda-${night.began.slice(0, 10)}.png`, { type: blob.type });
  if (navigator.canShare?.({ files: [file] })) {
    try {
      await navigator.share({ files: [file] });
      return;
    } catch (stopped) {
      if (stopped.name === "AbortError") return; // the person has closed the list of apps
    }
  }
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the download has begun by then
}
