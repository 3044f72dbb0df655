/** The drawings of the camera's screens, in the colour of the text around them. */
const PATHS = {
  camera:
    'M4 7.5h3.5L9 5h6l1.5 2.5H20a1.5 1.5 0 0 1 1.5 1.5v9.5A1.5 1.5 0 0 1 20 20H4a1.5 1.5 0 0 1-1.5-1.5V9A1.5 1.5 0 0 1 4 7.5zM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  file: 'M4.5 5.5h15v13h-15zM5 16l4.5-5 3.5 4 2.5-2.5 4 4.5M15.5 9v.2',
  switch: 'M4 12a8 8 0 0 1 13.5-5.8M20 12a8 8 0 0 1-13.5 5.8M17.5 2.5v4h-4M6.5 21.5v-4h4',
  torch: 'M8 3.5h8v3l-2 3v11h-4v-11l-2-3zM12 13v2',
  close: 'M6 6l12 12M18 6L6 18',
  zoom: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5L20.5 20.5M7.5 10.5h6M10.5 7.5v6',
  sound: 'M4 9.5h3.5L12 5.5v13l-4.5-4H4zM15.5 9a4 4 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11',
  place:
    'M4 8V5.5A1.5 1.5 0 0 1 5.5 4H8M16 4h2.5A1.5 1.5 0 0 1 20 5.5V8M20 16v2.5a1.5 1.5 0 0 1-1.5 1.5H16M8 20H5.5A1.5 1.5 0 0 1 4 18.5V16',
  closer: 'M12 4v7M12 20v-7M4 12h7M20 12h-7M8.5 8l3.5 3.5L15.5 8M8.5 16l3.5-3.5 3.5 3.5',
  back: 'M9 4H4v5M15 4h5v5M9 20H4v-5M15 20h5v-5M4 4l6 6M20 4l-6 6M4 20l6-6M20 20l-6-6',
  turn: 'M19.5 12a7.5 7.5 0 1 1-3-6M17 2.5V6.5h-4',
  flat: 'M3.5 17.5h17M6 14l6-9.5 6 9.5z',
  light:
    'M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5',
  glare: 'M3.5 6h17v12h-17zM14 9l3-1.5M8 9.5l1.2 2.3 2.3 1.2-2.3 1.2L8 16.5l-1.2-2.3L4.5 13l2.3-1.2z',
  blur: 'M12 3.5c3.5 4.5 5.5 7.2 5.5 10.3a5.5 5.5 0 0 1-11 0c0-3.1 2-5.8 5.5-10.3zM9 14a3 3 0 0 0 2.5 3',
  hold: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM9.5 9v6M14.5 9v6',
  face: 'M12 3.5c3.6 0 6 2.7 6 6.8 0 4.6-2.6 10.2-6 10.2s-6-5.6-6-10.2c0-4.1 2.4-6.8 6-6.8zM9.5 11v.6M14.5 11v.6M9.8 15.3c1.3 1.1 3.1 1.1 4.4 0',
  faces:
    'M8 5.5c2.3 0 4 1.8 4 4.4 0 3-1.8 6.6-4 6.6s-4-3.6-4-6.6c0-2.6 1.7-4.4 4-4.4zM14.5 5.7A4 4 0 0 1 20 9.9c0 3-1.8 6.6-4 6.6-.8 0-1.5-.4-2.1-1',
  left: 'M20 12H4M10.5 5.5L4 12l6.5 6.5',
  right: 'M4 12h16M13.5 5.5L20 12l-6.5 6.5',
  up: 'M12 20V4M5.5 10.5L12 4l6.5 6.5',
  down: 'M12 4v16M5.5 13.5L12 20l6.5-6.5',
  centre: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  done: 'M4.5 12.5l5 5 10-11',
} as const;

export type CaptureIconName = keyof typeof PATHS;

export function CaptureIcon({ name }: { name: CaptureIconName }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
