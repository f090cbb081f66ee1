/** The sign of laurel. */
export function Laurel() {
  const leaves = [
    [4.6, 8, -10],
    [9.5, 13, 38],
    [11, 19.5, 32],
  ] as const;
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true" fill="currentColor">
      <path
        d="M16 28C8 27 4 21 5 11M16 28c8-1 12-7 11-17"
        fill="none"
        stroke="currentColor"
        stroke-width="2.4"
        stroke-linecap="round"
      />
      {leaves.map(([x, y, angle]) => (
        <g key={x}>
          <ellipse cx={x} cy={y} rx="2" ry="4" transform={`rotate(${angle} ${x} ${y})`} />
          <ellipse cx={32 - x} cy={y} rx="2" ry="4" transform={`rotate(${-angle} ${32 - x} ${y})`} />
        </g>
      ))}
    </svg>
  );
}
