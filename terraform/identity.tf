# Permissions: every role is granted on one resource, except where Google has none smaller
# than the project. No account has a role on all of storage.

locals {
  # Reading a photo needs objectViewer: it includes listing, without which a deleted photo
  # would give 403 instead of 404. A result may replace an older one, which needs the
  # permission to delete: objectUser. Task writes the indexes of shops, which API reads.
  bucket_rights = {
    upload_uploads = { account = "upload", bucket = "uploads", role = "roles/storage.objectViewer" }
    upload_results = { account = "upload", bucket = "results", role = "roles/storage.objectUser" }
    task_uploads   = { account = "task", bucket = "uploads", role = "roles/storage.objectViewer" }
    task_results   = { account = "task", bucket = "results", role = "roles/storage.objectUser" }
    api_uploads    = { account = "api", bucket = "uploads", role = "roles/storage.objectViewer" }
    task_indexes   = { account = "task", bucket = "indexes", role = "roles/storage.objectUser" }
    api_indexes    = { account = "api", bucket = "indexes", role = "roles/storage.objectViewer" }
    api_results    = { account = "api", bucket = "results", role = "roles/storage.objectUser" }
  }

  # All services publish results, those with events failures too; API starts batches, and
  # Task publishes a task for each photo.
  topic_rights = {
    upload_results  = { account = "upload", topic = google_pubsub_topic.results.name }
    upload_failures = { account = "upload", topic = google_pubsub_topic.failures.name }
    task_results    = { account = "task", topic = google_pubsub_topic.results.name }
    task_failures   = { account = "task", topic = google_pubsub_topic.failures.name }
    task_tasks      = { account = "task", topic = google_pubsub_topic.queues["tasks"].name }
    task_long       = { account = "task", topic = google_pubsub_topic.queues["long-tasks"].name }
    api_results     = { account = "api", topic = google_pubsub_topic.results.name }
    api_long        = { account = "api", topic = google_pubsub_topic.queues["long-tasks"].name }
  }
}

resource "google_service_account" "services" {
  for_each = local.services

  project      = var.project
  account_id   = "${var.name_prefix}-${each.key}"
  display_name = "${var.name_prefix}: ${each.value.target}"

  depends_on = [google_project_service.apis]
}

# The account of Pub/Sub's pushes.
resource "google_service_account" "push" {
  project      = var.project
  account_id   = "${var.name_prefix}-push"
  display_name = "${var.name_prefix}: Pub/Sub pushes"

  depends_on = [google_project_service.apis]
}

resource "google_storage_bucket_iam_member" "services" {
  for_each = local.bucket_rights

  bucket = { uploads = google_storage_bucket.uploads.name, results = google_storage_bucket.results.name, indexes = google_storage_bucket.indexes.name }[each.value.bucket]
  role   = each.value.role
  member = google_service_account.services[each.value.account].member
}

# Forgetting a photo deletes it. Google has no role that deletes and cannot write.
resource "google_project_iam_custom_role" "forget" {
  project     = var.project
  role_id     = "${replace(var.name_prefix, "-", "_")}_forget"
  title       = "${var.name_prefix}: delete photos"
  description = "Deletes photos that are forgotten, and can neither write nor read any."
  permissions = ["storage.objects.delete"]

  depends_on = [google_project_service.apis]
}

resource "google_storage_bucket_iam_member" "forget" {
  bucket = google_storage_bucket.uploads.name
  role   = google_project_iam_custom_role.forget.name
  member = google_service_account.services["api"].member
}

# Pictures of products are in other buckets, which are not created here.
resource "google_storage_bucket_iam_member" "pictures" {
  for_each = { for pair in setproduct(["api", "task"], var.picture_buckets) : join("_", pair) => { account = pair[0], bucket = pair[1] } }

  bucket = each.value.bucket
  role   = "roles/storage.objectViewer"
  member = google_service_account.services[each.value.account].member
}

resource "google_pubsub_topic_iam_member" "services" {
  for_each = local.topic_rights

  project = var.project
  topic   = each.value.topic
  role    = "roles/pubsub.publisher"
  member  = google_service_account.services[each.value.account].member
}

# Firestore's roles are granted on the project; the condition limits them to one database.
resource "google_project_iam_member" "firestore" {
  for_each = local.services

  project = var.project
  role    = "roles/datastore.user"
  member  = google_service_account.services[each.key].member

  condition {
    title       = "${var.name_prefix}-database"
    description = "The database ${var.name_prefix} alone"
    expression  = "resource.name == \"projects/${var.project}/databases/${var.name_prefix}\""
  }
}

# Vertex AI's models are not resources of a project: there is no smaller resource.
resource "google_project_iam_member" "vertex" {
  for_each = local.vertex ? local.services : {}

  project = var.project
  role    = "roles/aiplatform.user"
  member  = google_service_account.services[each.key].member
}

# Spans belong to the project, too. This role can write them and not read them.
resource "google_project_iam_member" "traces" {
  for_each = var.trace ? local.services : {}

  project = var.project
  role    = "roles/telemetry.tracesWriter"
  member  = google_service_account.services[each.key].member
}

resource "google_secret_manager_secret_iam_member" "services" {
  for_each = toset(try(local.secrets.GOOGLE_API_KEY.services, []))

  project   = var.project
  secret_id = var.gemini_secret
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.services[each.key].member

  depends_on = [google_project_service.apis]
}

resource "google_secret_manager_secret_iam_member" "openweather_key" {
  for_each = toset(try(local.secrets.OPENWEATHER_API_KEY.services, []))

  project   = var.project
  secret_id = local.openweather_secret
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.services[each.key].member

  depends_on = [google_project_service.apis]
}

resource "google_secret_manager_secret_iam_member" "brave_key" {
  for_each = toset(try(local.secrets.BRAVE_SEARCH_API_KEY.services, []))

  project   = var.project
  secret_id = local.brave_secret
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.services[each.key].member

  depends_on = [google_project_service.apis]
}

# The buckets' notifications.
resource "google_pubsub_topic_iam_member" "storage" {
  project = var.project
  topic   = google_pubsub_topic.queues["uploads"].name
  role    = "roles/pubsub.publisher"
  member  = data.google_storage_project_service_account.this.member
}

# Pub/Sub's own account moves undeliverable messages: it publishes them to the dead-letter
# topic and removes them from the subscription.
resource "google_pubsub_topic_iam_member" "dead_letters" {
  for_each = local.queues

  project = var.project
  topic   = google_pubsub_topic.dead_letters[each.key].name
  role    = "roles/pubsub.publisher"
  member  = local.pubsub_agent
}

resource "google_pubsub_subscription_iam_member" "dead_letters" {
  for_each = local.queues

  project      = var.project
  subscription = google_pubsub_subscription.queues[each.key].name
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent
}

# It signs the tokens of its pushes. The topics come first, as Google creates the account
# with them.
resource "google_service_account_iam_member" "push" {
  service_account_id = google_service_account.push.name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = local.pubsub_agent

  depends_on = [google_pubsub_topic.queues]
}

resource "google_cloud_run_v2_service_iam_member" "push" {
  for_each = toset([for queue in local.queues : queue.service])

  project  = var.project
  location = var.region
  name     = google_cloud_run_v2_service.services[each.key].name
  role     = "roles/run.invoker"
  member   = google_service_account.push.member
}

# Who may call the API: the members named, and everybody only with public_api.
resource "google_cloud_run_v2_service_iam_member" "api" {
  for_each = var.public_api ? toset(var.domain_restricted_sharing ? [] : ["allUsers"]) : var.api_invokers

  project  = var.project
  location = var.region
  name     = google_cloud_run_v2_service.services["api"].name
  role     = "roles/run.invoker"
  member   = each.key
}

# With IAP it is IAP that calls the API, for its members. scripts/deploy creates its
# account before the apply.
resource "google_cloud_run_v2_service_iam_member" "iap" {
  count = local.iap ? 1 : 0

  project  = var.project
  location = var.region
  name     = google_cloud_run_v2_service.services["api"].name
  role     = "roles/run.invoker"
  member   = local.iap_agent
}

resource "google_iap_web_cloud_run_service_iam_member" "members" {
  for_each = var.iap_members

  project                = var.project
  location               = var.region
  cloud_run_service_name = google_cloud_run_v2_service.services["api"].name
  role                   = "roles/iap.httpsResourceAccessor"
  member                 = each.key

  depends_on = [google_project_service.apis]
}

# Google's service agents of all services that store data use the encryption key.
resource "google_kms_crypto_key_iam_member" "agents" {
  for_each = var.kms_key == "" ? {} : local.kms_agents

  crypto_key_id = var.kms_key
  role          = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
  member        = each.value

  depends_on = [google_project_service.apis]
}
