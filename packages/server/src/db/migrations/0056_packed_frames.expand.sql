-- The frames of a challenge become one object: see docs/decisions/2026-11-18-frames-are-packed.md. Where the sealed image
-- begins in its blob. None if the blob holds nothing else.
ALTER TABLE instance_images ADD COLUMN blob_offset BIGINT;
-- The blob that the image had before it was packed, until that is deleted.
ALTER TABLE instance_images ADD COLUMN former_key TEXT;
CREATE INDEX instance_images_former ON instance_images (tenant_id, former_key) WHERE former_key IS NOT NULL;

-- When the frames of a used challenge were packed, or were found to be unreadable. None until then.
ALTER TABLE liveness_challenges ADD COLUMN packed_at BIGINT;
CREATE INDEX liveness_challenges_unpacked ON liveness_challenges (tenant_id, expires_at)
  WHERE state = 'USED' AND packed_at IS NULL;
