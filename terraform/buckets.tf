# Photos. They are the caller's, so that soft delete stays on: what was deleted by
# mistake can be had back for a week.
resource "google_storage_bucket" "uploads" {
  project                     = var.project
  name                        = "${local.bucket_prefix}-uploads"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = var.allow_data_loss

  dynamic "encryption" {
    for_each = var.kms_key == "" ? [] : [var.kms_key]
    content { default_kms_key_name = encryption.value }
  }

  dynamic "lifecycle_rule" {
    for_each = var.upload_days > 0 ? [var.upload_days] : []
    content {
      action { type = "Delete" }
      condition { age = lifecycle_rule.value }
    }
  }

  # Uploads that nobody finished are billed and cannot be seen.
  lifecycle_rule {
    action { type = "AbortIncompleteMultipartUpload" }
    condition { age = 1 }
  }

  depends_on = [google_project_service.apis, google_kms_crypto_key_iam_member.agents]
}

# Results, and the manifests and summaries of batches. What is deleted here is
# gone: they are about photos that people may want forgotten, and each can be made
# again.
resource "google_storage_bucket" "results" {
  project                     = var.project
  name                        = "${local.bucket_prefix}-results"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = var.allow_data_loss

  dynamic "encryption" {
    for_each = var.kms_key == "" ? [] : [var.kms_key]
    content { default_kms_key_name = encryption.value }
  }

  versioning {
    enabled = false
  }
  soft_delete_policy {
    retention_duration_seconds = 0
  }

  dynamic "lifecycle_rule" {
    for_each = var.result_days > 0 ? [var.result_days] : []
    content {
      action { type = "Delete" }
      condition { age = lifecycle_rule.value }
    }
  }

  # Forecasts are fresh for half an hour, and served for some more while nothing newer
  # can be had.
  lifecycle_rule {
    action { type = "Delete" }
    condition {
      age            = 7
      matches_prefix = ["forecasts/"]
    }
  }

  lifecycle_rule {
    action { type = "AbortIncompleteMultipartUpload" }
    condition { age = 1 }
  }

  depends_on = [google_project_service.apis, google_kms_crypto_key_iam_member.agents]
}

# New photos only, and of the upload bucket only: results must never come back as
# photos. It waits for the subscription, as a topic forgets what nobody is
# subscribed to.
resource "google_storage_notification" "uploads" {
  bucket         = google_storage_bucket.uploads.name
  topic          = google_pubsub_topic.queues["uploads"].id
  payload_format = "JSON_API_V1"
  event_types    = ["OBJECT_FINALIZE"]

  depends_on = [google_pubsub_topic_iam_member.storage, google_pubsub_subscription.queues]
}
