/**
 * The sound for a person whose eyes are closed. Browsers play nothing before the page was tapped, so the tap that opens
 * the camera prepares it.
 */
let audio: AudioContext | undefined;

const TONE = { hertz: 880, seconds: 0.3, loudness: 0.25 } as const;

export function prepareSound(): void {
  if (typeof AudioContext === 'undefined') return;
  audio ??= new AudioContext();
  void audio.resume().catch(() => undefined);
}

export function playSound(): void {
  if (audio?.state !== 'running') return;
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  const end = audio.currentTime + TONE.seconds;
  tone.frequency.value = TONE.hertz;
  volume.gain.setValueAtTime(TONE.loudness, audio.currentTime);
  // A tone that stops abruptly clicks.
  volume.gain.exponentialRampToValueAtTime(0.001, end);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(end);
}
