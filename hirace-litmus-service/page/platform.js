// The operating system and the browser, as far as the browser reveals them without a permission. The functions get the
// navigator, so that they run without a browser.

/**
 * @typedef {{name: string, version?: string}} Software
 * @typedef {{operating_system?: Software, browser?: Software}} Platform
 */

/** Names, and expressions for versions, in user agents. The first one that matches counts: browsers also name the browsers they resemble. */
const BROWSERS = [
  ["Microsoft Edge", /\bEdg(?:A|iOS)?\/([\d.]+)/], ["Opera", /\bOPR\/([\d.]+)/], ["Firefox", /\b(?:Firefox|FxiOS)\/([\d.]+)/],
  ["Google Chrome", /\b(?:Chrome|CriOS)\/([\d.]+)/], ["Safari", /\bVersion\/([\d.]+).*\bSafari\//],
];
const SYSTEMS = [
  ["Windows", /\bWindows NT\b/], ["iOS", /\b(?:iPhone|iPad).*? OS ([\d_]+)/], ["macOS", /\bMac OS X\b/], ["Android", /\bAndroid ([\d.]+)/],
  ["ChromeOS", /\bCrOS\b/], ["Linux", /\bLinux\b/],
];

/** Returns the operating system and the browser. @returns {Promise<Platform>} */
export async function platform(of = navigator) {
  const data = of.userAgentData;
  const agent = of.userAgent ?? "";
  const { platformVersion } = await data?.getHighEntropyValues?.(["platformVersion"]).catch(() => ({})) ?? {};
  const system = data?.platform ? software(data.platform, systemVersion(data.platform, platformVersion)) : named(SYSTEMS, agent);
  const browser = brand(data?.brands ?? []) ?? named(BROWSERS, agent);
  return { ...(system && { operating_system: system }), ...(browser && { browser }) };
}

/** Returns the name that users know of a version of the system: the version of Windows is that of a component. */
function systemVersion(system, version = "") {
  if (system !== "Windows") return version;
  const major = Number.parseInt(version, 10);
  if (major >= 13) return "11";
  return major > 0 ? "10" : "";
}

function brand(brands) {
  // One of the brands is fictitious, so that pages do not rely on the list: "Not A(Brand", with varying punctuation.
  const isMadeUp = ({ brand }) => /^notabrand$/i.test(brand.replace(/[^a-z]/gi, ""));
  const all = brands.filter((brand) => !isMadeUp(brand));
  const own = all.find(({ brand }) => brand !== "Chromium") ?? all[0];
  return own && software(own.brand, own.version);
}

function named(known, agent) {
  for (const [name, pattern] of known) {
    const found = pattern.exec(agent);
    if (found) return software(name, found[1]?.replaceAll("_", "."));
  }
  return undefined;
}

function software(name, version) {
  return { name, ...(version && { version }) };
}
