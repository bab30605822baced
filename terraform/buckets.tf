# Photos. They belong to the caller, so soft delete stays on: a photo deleted by mistake
# can be restored for a week.
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

  # Unfinished uploads are billed and invisible.
  lifecycle_rule {
    action { type = "AbortIncompleteMultipartUpload" }
    condition { age = 1 }
  }

  depends_on = [google_project_service.apis, google_kms_crypto_key_iam_member.agents]
}

# Results, and the manifests and summaries of batches. There is no soft delete: people may
# want data about their photos erased, and each result can be made again.
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

  # Forecasts are fresh for half an hour, and served for some hours more while OpenWeather
  # cannot be reached.
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

# The indexes of shops, which searches read. Each can be made of the database again.
resource "google_storage_bucket" "indexes" {
  project                     = var.project
  name                        = "${local.bucket_prefix}-indexes"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = var.allow_data_loss

  dynamic "encryption" {
    for_each = var.kms_key == "" ? [] : [var.kms_key]
    content { default_kms_key_name = encryption.value }
  }

  soft_delete_policy {
    retention_duration_seconds = 0
  }

  lifecycle_rule {
    action { type = "AbortIncompleteMultipartUpload" }
    condition { age = 1 }
  }

  depends_on = [google_project_service.apis, google_kms_crypto_key_iam_member.agents]
}

# Only new objects, and only of the upload bucket: results must never be analysed as
# photos. It depends on the subscription, as a topic drops messages without one.
resource "google_storage_notification" "uploads" {
  bucket         = google_storage_bucket.uploads.name
  topic          = google_pubsub_topic.queues["uploads"].id
  payload_format = "JSON_API_V1"
  event_types    = ["OBJECT_FINALIZE"]

  depends_on = [google_pubsub_topic_iam_member.storage, google_pubsub_subscription.queues]
}
